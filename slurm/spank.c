/* SPDX-License-Identifier: Apache-2.0
 * A plug-in of Slurm that preloads Trunkline into what jobs run, for a whole cluster. A line of plugstack.conf:
 *
 *   optional /opt/trunkline/lib/trunkline-spank.so library=/opt/trunkline/lib/libtrunkline.so cluster=/etc/cluster.yaml
 *
 * default=off leaves it to users, who say 'srun --trunkline=on'. Their way out is '--trunkline=off' or
 * TRUNKLINE_DISABLE=1. It never fails a job: where a file cannot be read, one task says so, and the job runs as without
 * it.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/spank.h>

SPANK_PLUGIN(trunkline, 1)

enum { MOST_LIST = 4 * PATH_MAX, MOST_NAME = 64 };

static char library[PATH_MAX]; /* of whichever MPI: libtrunkline.so */
static char cluster[PATH_MAX];
static char choice[MOST_NAME] = "on"; /* on, off, or the name of one MPI library */

static int is_name(const char* text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  const size_t length = strlen(text);
  return length > 0 && length < MOST_NAME && text[0] != '.' && strspn(text, letters) == length;
}

/* Slurm calls it where the option is given, and again on every node. */
static int take_option(int value, const char* text, int is_remote) {
  (void)value;
  if (text == NULL || !is_name(text)) {
    if (is_remote) return 0; /* some environment's word, which no user gave */
    slurm_error("--trunkline is on, off, or an MPI library's name, such as openmpi; not '%s'",
                text == NULL ? "" : text);
    return -1;
  }
  snprintf(choice, sizeof choice, "%s", text);
  return 0;
}

static struct spank_option option = {
    "trunkline",
    "on|off|MPI",
    "Trunkline's collectives: on, off, or on by its library for this MPI (Python programs)",
    1,
    0,
    take_option};

static int is_argument(const char* argument, const char* key, char* value, size_t size) {
  const size_t length = strlen(key);
  if (strncmp(argument, key, length) != 0) return 0;
  snprintf(value, size, "%s", argument + length);
  return 1;
}

/* Reads the words of plugstack.conf, and tells Slurm of the option: srun, sbatch and salloc take it. */
int slurm_spank_init(spank_t spank, int count, char** arguments) {
  char standard[MOST_NAME] = "on";
  for (int i = 0; i < count; ++i) {
    if (is_argument(arguments[i], "library=", library, sizeof library) ||
        is_argument(arguments[i], "cluster=", cluster, sizeof cluster) ||
        is_argument(arguments[i], "default=", standard, sizeof standard)) {
      continue;
    }
    slurm_error("trunkline: plugstack.conf has '%s'; known are library=FILE, cluster=FILE, default=on|off",
                arguments[i]);
  }
  snprintf(choice, sizeof choice, "%s", is_name(standard) ? standard : "off");
  const spank_context_t context = spank_context();
  const int takes_options = context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR || context == S_CTX_REMOTE;
  if (takes_options && spank_option_register(spank, &option) != ESPANK_SUCCESS) {
    slurm_error("trunkline: Slurm does not take the option --trunkline");
  }
  return 0;
}

/* One task of a step speaks, to its own standard error. */
static void say(spank_t spank, const char* text, const char* file) {
  uint32_t task = 0;
  if (spank_get_item(spank, S_TASK_GLOBAL_ID, &task) == ESPANK_SUCCESS && task != 0) return;
  dprintf(STDERR_FILENO, "trunkline: warning: %s '%s', so this runs without Trunkline\n", text, file);
}

/* The library of one MPI is beside that for whichever. */
static int preload_file(char* file, size_t size) {
  const char* const slash = strrchr(library, '/');
  if (slash == NULL) return 0;
  const int length = strcmp(choice, "on") == 0
                         ? snprintf(file, size, "%s", library)
                         : snprintf(file, size, "%.*s/libtrunkline-%s.so", (int)(slash - library), library, choice);
  return length > 0 && (size_t)length < size;
}

static int is_disabled(const char* setting) { return strcmp(choice, "off") == 0 || strcmp(setting, "1") == 0; }

/* A list with the library in front; 0 where it is in it already, or there is no room. */
static int with_library(const char* file, const char* others, char* list, size_t size) {
  if (strstr(others, file) != NULL) return 0;
  const int length = snprintf(list, size, "%s%s%s", file, others[0] == '\0' ? "" : ":", others);
  return length > 0 && (size_t)length < size;
}

/* In salloc and sbatch: what salloc starts is no task, such as an mpiexec that starts the ranks of its own host itself.
 * Where the files are on the nodes alone, nothing is to be said. */
int slurm_spank_init_post_opt(spank_t spank, int count, char** arguments) {
  char file[PATH_MAX];
  char list[MOST_LIST];
  (void)spank;
  (void)count;
  (void)arguments;
  const char* const setting = getenv("TRUNKLINE_DISABLE");
  if (spank_context() != S_CTX_ALLOCATOR || is_disabled(setting == NULL ? "" : setting)) return 0;
  if (!preload_file(file, sizeof file) || access(file, R_OK) != 0) return 0;
  if (cluster[0] != '\0' && access(cluster, R_OK) != 0) return 0;
  const char* const others = getenv("LD_PRELOAD");
  if (!with_library(file, others == NULL ? "" : others, list, sizeof list)) return 0;
  setenv("LD_PRELOAD", list, 1);
  if (cluster[0] != '\0') setenv("TRUNKLINE_CLUSTER", cluster, 0);
  return 0;
}

/* In each task, as its user, just before its program starts; the batch script is a task too. */
int slurm_spank_task_init(spank_t spank, int count, char** arguments) {
  char file[PATH_MAX];
  char setting[8] = "";
  char others[MOST_LIST] = "";
  char list[MOST_LIST + PATH_MAX];
  (void)count;
  (void)arguments;
  if (spank_getenv(spank, "TRUNKLINE_DISABLE", setting, sizeof setting) != ESPANK_SUCCESS) setting[0] = '\0';
  if (is_disabled(setting)) return 0;
  if (!preload_file(file, sizeof file) || access(file, R_OK) != 0) {
    say(spank, "plugstack.conf names a preload library that cannot be read:", library[0] == '\0' ? "none" : file);
    return 0;
  }
  if (cluster[0] != '\0' && access(cluster, R_OK) != 0) {
    say(spank, "plugstack.conf names a cluster file that cannot be read:", cluster);
    return 0;
  }
  const spank_err_t found = spank_getenv(spank, "LD_PRELOAD", others, sizeof others);
  if (found == ESPANK_ENV_NOEXIST) others[0] = '\0';
  if (found == ESPANK_NOSPACE || !with_library(file, others, list, sizeof list)) return 0;
  spank_setenv(spank, "LD_PRELOAD", list, 1);
  if (cluster[0] != '\0') spank_setenv(spank, "TRUNKLINE_CLUSTER", cluster, 0);
  return 0;
}
