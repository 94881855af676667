// SPDX-License-Identifier: Apache-2.0
// Every kind of fault of a cluster file, with the place and the words.
#include "faults.hpp"
#include "network/file/cluster_file.hpp"

namespace trunkline {
namespace {

using testing::case_name;
using testing::FaultCase;
using testing::faults_of;

const FaultCase cluster_faults[] = {
    FaultCase{"EmptyFile", "", {"1:1: the file is empty; its first line should be \"trunkline: cluster/1\""}},
    FaultCase{
        "OnlyComments", "# nothing\n", {"1:1: the file is empty; its first line should be \"trunkline: cluster/1\""}},
    FaultCase{
        "NoMapping",
        "- a\n"
        "- b\n",
        {"1:1: the file holds a list; it should hold keys with values, the first being \"trunkline: cluster/1\""}},
    FaultCase{"SyntaxError",
              "trunkline: cluster/1\n"
              "name: [a\n"
              "switches: s0\n",
              {"3:9: YAML syntax: did not find expected ',' or ']', while parsing a flow sequence at line 2"}},
    FaultCase{"HostListInFlowContext",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts:\n"
              "  - {hosts: h[0-3], switch: s0}\n",
              {"6:14: YAML syntax: did not find expected ',' or '}', while parsing a flow mapping at line 6; inside { "
               "} and [ ] a host list needs quotes, such as \"h[0-3]\""}},
    FaultCase{
        "Tab",
        "trunkline: cluster/1\n"
        "\tname: x\n",
        {"2:1: YAML syntax: found a tab character that violates indentation, while scanning a plain scalar at line 1; "
         "the line begins with a tab, and YAML takes blanks alone there"}},
    FaultCase{"TabBeforeAnItem",
              "trunkline: cluster/1\n"
              "name: x\n"
              "switches:\n"
              "\t- s0\n",
              {"4:1: YAML syntax: found character that cannot start any token, while scanning for the next token at "
               "line 4; the line begins with a tab, and YAML takes blanks alone there"}},
    FaultCase{"NameWithABlank",
              "trunkline: cluster/1\n"
              "name: my cluster\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switch: s0}\n",
              {"2:7: name: \"my cluster\" is no name; names hold letters, digits and . _ - : / + @ only"}},
    FaultCase{"NotUtf8",
              "trunkline: cluster/1\n"
              "name: \377\n",
              {"2:7: not text that YAML allows (invalid leading UTF-8 octet); save the file as UTF-8"}},
    FaultCase{"ControlCharacter",
              "trunkline: cluster/1\n"
              "name: a\001b\n",
              {"2:8: not text that YAML allows (control characters are not allowed); save the file as UTF-8"}},
    FaultCase{"TwoDocuments",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
              "links: [{between: [s0, s1]}]\n"
              "---\n"
              "a: 1\n",
              {"8:1: a second document starts here; one file holds one document"}},
    FaultCase{"AnchorAndAlias",
              "trunkline: cluster/1\n"
              "name: &n x\n"
              "switches: *n\n",
              {"2:7: the anchor &n: anchors are not supported; write values out where they are needed",
               "3:11: the alias *n: aliases are not supported; write the value out"}},
    FaultCase{"UndefinedAlias",
              "trunkline: cluster/1\n"
              "name: *n\n",
              {"2:7: the alias *n: aliases are not supported; write the value out"}},
    FaultCase{"BillionLaughs",
              "a: &a [x, x]\n"
              "b: &b [*a, *a]\n"
              "c: &c [*b, *b]\n",
              {"1:4: the anchor &a: anchors are not supported; write values out where they are needed",
               "2:4: the anchor &b: anchors are not supported; write values out where they are needed",
               "2:8: the alias *a: aliases are not supported; write the value out",
               "2:12: the alias *a: aliases are not supported; write the value out",
               "3:4: the anchor &c: anchors are not supported; write values out where they are needed",
               "3:8: the alias *b: aliases are not supported; write the value out",
               "3:12: the alias *b: aliases are not supported; write the value out"}},
    FaultCase{"MergeKey",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
              "links: [{between: [s0, s1], <<: {rate: 1Mbit}}]\n",
              {"7:29: merge keys (<<) are not supported; write the values out"}},
    FaultCase{"Tag",
              "trunkline: cluster/1\n"
              "name: !!str x\n"
              "switches: !mine s0\n",
              {"2:7: the tag tag:yaml.org,2002:str: tags are not supported; leave it out",
               "3:11: the tag !mine: tags are not supported; leave it out"}},
    FaultCase{"KeyThatIsAList",
              "trunkline: cluster/1\n"
              "[a, b]: x\n",
              {"2:1: a key must be a text, not a list"}},
    FaultCase{"DeepNesting",
              "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
              {"1:36: nested deeper than 32 levels; no file of Trunkline is"}},
    FaultCase{"FormatMissing",
              "name: x\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0, rate: 1bit}]\n",
              {"1:1: the key trunkline is missing; the first line should be \"trunkline: cluster/1\""}},
    FaultCase{"FormatOfAPlan",
              "trunkline: plan/1\n"
              "collective: bcast\n"
              "shape: custom\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
              "links: [{between: [s0, s1]}]\n",
              {"1:12: a cluster file is wanted, and this file says it is \"plan/1\"; the first line should be "
               "\"trunkline: cluster/1\""}},
    FaultCase{"FormatOfTheFuture",
              "trunkline: cluster/2\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
              "links: [{between: [s0, s1]}]\n",
              {"1:12: \"cluster/2\" is a version that this Trunkline cannot read; it reads cluster/1"}},
    FaultCase{"FormatUnknown",
              "trunkline: yes\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
              "links: [{between: [s0, s1]}]\n",
              {"1:12: the file's format is not given; the first line should be \"trunkline: cluster/1\""}},
    FaultCase{"MissingKeys",
              "trunkline: cluster/1\n",
              {"1:1: the key name is missing; give it, such as name: my-cluster",
               "1:1: the key switches is missing; give it, such as switches: s[0-3]",
               "1:1: the key hosts is missing; give it, such as hosts: [{hosts: \"h[0-7]\", switch: s0}]"}},
    FaultCase{
        "UnknownKeys",
        "trunkline: cluster/1\n"
        "nmae: x\n"
        "defaults: {rate: 1Gbit}\n"
        "switches: s[0-1]\n"
        "hosts:\n"
        "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
        "links: [{betwen: [s0, s1], colour: red}]\n",
        {"1:1: the key name is missing; give it, such as name: my-cluster",
         "2:1: unknown key \"nmae\" (did you mean name?); known here are trunkline, name, description, defaults, "
         "measured, paths, switches, hosts, links",
         "7:9: the key between is missing; give it, such as between: [s0, s1]",
         "7:10: unknown key \"betwen\" (did you mean between?); known here are between, rate, latency, back, loss, "
         "corrupt, garble, duplicate, reorder, reorder_by, jitter",
         "7:28: unknown key \"colour\"; known here are between, rate, latency, back, loss, corrupt, garble, duplicate, "
         "reorder, reorder_by, jitter"}},
    FaultCase{"KeyTwice",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
              "name: y\n"
              "links: [{between: [s0, s1], rate: 1bit, rate: 2bit}]\n",
              {"7:1: the key \"name\" is here a second time (first at line 2); keep one",
               "8:41: the key \"rate\" is here a second time (first at line 8); keep one"}},
    FaultCase{"WrongTypes",
              "trunkline: [1]\n"
              "name: {a: b}\n"
              "description: []\n"
              "defaults: fast\n"
              "switches: {a: b}\n"
              "hosts: h0\n"
              "links: s0\n",
              {"1:12: the file's format is not given; the first line should be \"trunkline: cluster/1\"",
               "2:7: name must be a text, such as my-cluster; here is a mapping",
               "3:14: description must be a text, such as two racks, one uplink; here is a list",
               "4:11: defaults must be a mapping, such as {rate: 100Mbit, latency: 10us}; here is a text",
               "5:11: switches must be a text, such as s[0-3]; here is a mapping",
               "6:8: hosts must be a list, such as [{hosts: \"h[0-7]\", switch: s0}]; here is a text",
               "7:8: links must be a list, such as [{between: [s0, s1]}]; here is a text"}},
    FaultCase{"WrongTypesWithin",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts:\n"
              "  - h0\n"
              "  - {hosts: {}, switch: [s0], aliases: h0}\n"
              "  - {hosts: [[a]], switch: '', rate: [1]}\n"
              "links:\n"
              "  - s0\n"
              "  - {between: s0}\n"
              "  - {between: [s0]}\n"
              "  - {between: [s0, [s0]]}\n",
              {"6:5: an entry of hosts must be a mapping, such as {hosts: \"h[0-7]\", switch: s0}; here is a text",
               "7:13: hosts must be a text, such as h[0-31]; here is a mapping",
               "7:25: switch must be a text, such as s0; here is a list",
               "8:14: hosts must be a text, such as h[0-31]; here is a list",
               "8:28: switch must be a text, such as s0; here is nothing",
               "8:38: rate must be a text, such as 100Mbit; here is a list",
               "10:5: an entry of links must be a mapping, such as {between: [s0, s1]}; here is a text",
               "11:15: between must be a list of two names, such as [s0, s1]",
               "12:15: between must be a list of two names, such as [s0, s1]",
               "13:20: an end of a link must be a text, such as s0; here is a list"}},
    FaultCase{"WrongWaysBack",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-1]', switches: 's[0-1]', deal: 1}\n"
              "links:\n"
              "  - {between: [s0, s1], back: 10Mbit}\n"
              "  - {between: [s0, s1], back: {}}\n"
              "  - {between: [s0, s1], back: {rate: 10, latency: -1ms}}\n"
              "  - {between: [s0, s1], back: {rate: 2x10Mbit, loss: 1%}}\n",
              {"8:31: back must be a mapping, such as {rate: 10Mbit, latency: 40ms}; here is a text",
               "9:31: back says nothing; write what differs on the way back, such as {rate: 10Mbit, latency: 40ms}",
               "10:38: \"10\" has no unit; write one of bit, kbit, Mbit, Gbit after the number, such as 100Mbit",
               "10:51: the time -1ms must be zero or more",
               "11:38: \"x10Mbit\" is no unit of a rate (did you mean Mbit?); known are bit, kbit, Mbit, Gbit",
               "11:48: unknown key \"loss\"; known here are rate, latency"}},
    FaultCase{
        "LinksThatLeadOneWay",
        "trunkline: cluster/1\n"
        "name: x\n"
        "defaults: {rate: 1Gbit}\n"
        "switches: s[0-1]\n"
        "hosts:\n"
        "  - {hosts: 'h[0-1]', switches: 's[0-1]', deal: 1}\n"
        "links:\n"
        "  - {from: s0, to: s1}\n"
        "  - {from: s1, to: s0, rate: 2x1Gbit}\n"
        "  - {from: s1, to: s0, latency: 2ms}\n"
        "  - {from: s1}\n"
        "  - {from: s1, to: s2}\n"
        "  - {from: s1, to: s1}\n"
        "  - {from: s1, to: s0, back: {rate: 1Mbit}}\n",
        {"9:5: this link and the one that leads back (line 8) may differ in rate and latency alone; give both the same "
         "links side by side, loss and the like",
         "10:5: this link leads from s1 to s0, and no other one leads back; messages need an answer, so add {from: "
         "s0, to: s1}, or write between: [s1, s0]",
         "11:5: the key to is missing; give it, such as to: s1",
         "12:20: s2 is neither a switch nor a host (did you mean s0?)",
         "13:5: a link from s1 to itself; name two nodes",
         "14:5: this link leads from s1 to s0, and no other one leads back; messages need an answer, so add {from: "
         "s0, to: s1}, or write between: [s1, s0]",
         "14:24: unknown key \"back\"; known here are from, to, rate, latency, loss, corrupt, garble, duplicate, "
         "reorder, reorder_by, jitter"}},
    FaultCase{"NothingAfterTheKey",
              "trunkline: cluster/1\n"
              "name:\n"
              "switches:\n"
              "hosts:\n",
              {"2:6: name must be a text, such as my-cluster; here is nothing",
               "3:10: switches must be a text, such as s[0-3]; here is nothing",
               "4:7: hosts must be a list, such as [{hosts: \"h[0-7]\", switch: s0}]; here is nothing"}},
    FaultCase{"NoLists",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: []\n"
              "hosts: []\n",
              {"4:11: switches must hold at least one name, such as s[0-3]",
               "5:8: hosts is empty; a cluster needs hosts, such as hosts: [{hosts: \"h[0-7]\", switch: s0}]"}},
    FaultCase{"UnitMissing",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 100, latency: 10}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0, latency: 3}]\n",
              {"3:18: \"100\" has no unit; write one of bit, kbit, Mbit, Gbit after the number, such as 100Mbit",
               "3:32: \"10\" has no unit; write one of ns, us, ms, s after the number, such as 20us",
               "5:41: \"3\" has no unit; write one of ns, us, ms, s after the number, such as 20us"}},
    FaultCase{"UnitUnknown",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 100Mbps, latency: 10usec}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0, latency: 1MB}]\n",
              {"3:18: \"Mbps\" is no unit of a rate (did you mean Mbit?); known are bit, kbit, Mbit, Gbit",
               "3:36: \"usec\" is no unit of a time; known are ns, us, ms, s",
               "5:41: \"MB\" is no unit of a time (did you mean ms?); known are ns, us, ms, s"}},
    FaultCase{"ZeroRate",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 0Mbit}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0, rate: -5Mbit}]\n",
              {"3:18: the rate 0Mbit must be above zero", "5:38: the rate -5Mbit must be above zero"}},
    FaultCase{"NoSuchPaths",
              "trunkline: cluster/1\n"
              "name: x\n"
              "paths: equal_cost\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0}]\n",
              {"3:8: paths: \"equal_cost\" is none (did you mean equal-cost?); write equal-cost where switches use all "
               "shortest paths (ECMP, SPB, MLAG), shortest where routers take the one of least latency, else "
               "spanning-tree, or leave it out"}},
    FaultCase{"PathsThatAreAList",
              "trunkline: cluster/1\n"
              "name: x\n"
              "paths: [equal-cost]\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0}]\n",
              {"3:8: paths must be a text, such as equal-cost; here is a list"}},
    FaultCase{
        "NoNumberOfLinks",
        "trunkline: cluster/1\n"
        "name: x\n"
        "defaults: {rate: 0x1Gbit}\n"
        "switches: s[0-1]\n"
        "hosts: [{hosts: h, switch: s0, rate: 1.5x1Gbit}]\n"
        "links:\n"
        "  - {between: [s0, s1], rate: 2x10}\n"
        "  - {between: [s0, s1], rate: 4000x10Gbit}\n"
        "  - {between: [s0, s1], rate: -2x10Gbit}\n"
        "  - {between: [s0, s1], rate: 2x0Gbit}\n",
        {"3:18: \"0x1Gbit\": \"0\" is no number of links side by side; write a whole one from 1 to 1024, such as "
         "2x10Gbit",
         "5:38: \"1.5x1Gbit\": \"1.5\" is no number of links side by side; write a whole one from 1 to 1024, such "
         "as 2x10Gbit",
         "7:31: \"10\" has no unit; write one of bit, kbit, Mbit, Gbit after the number, such as 100Mbit",
         "8:31: \"4000x10Gbit\": \"4000\" is no number of links side by side; write a whole one from 1 to 1024, "
         "such as 2x10Gbit",
         "9:31: \"-2x10Gbit\": \"-2\" is no number of links side by side; write a whole one from 1 to 1024, such "
         "as 2x10Gbit",
         "10:31: the rate 0Gbit must be above zero"}},
    FaultCase{"NegativeTimes",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1bit, latency: -1us}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0, latency: -1us}]\n",
              {"3:33: the time -1us must be zero or more", "5:41: the time -1us must be zero or more"}},
    FaultCase{
        "Injection",
        "trunkline: cluster/1\n"
        "name: x\n"
        "defaults: {rate: 1bit, injection: 2}\n"
        "switches: s[0-1]\n"
        "hosts: [{hosts: h, switch: s0, injection: -3us}, {hosts: g, switch: s1, injection: }]\n"
        "links: [{between: [s0, s1], injection: 2us}]\n",
        {"3:35: \"2\" has no unit; write one of ns, us, ms, s after the number, such as 20us",
         "5:43: the time -3us must be zero or more", "5:84: injection must be a text, such as 50us; here is nothing",
         "6:40: injection is a time of hosts that send, not of links: give it in an entry of hosts, or under "
         "defaults; what a link takes is its latency"}},
    FaultCase{
        "TcpWindow",
        "trunkline: cluster/1\n"
        "name: x\n"
        "defaults: {rate: 1bit, tcp_window: 64}\n"
        "switches: s[0-1]\n"
        "hosts: [{hosts: h, switch: s0, tcp_window: 0B}, {hosts: g, switch: s1, tcp_window: }]\n"
        "links: [{between: [s0, s1], tcp_window: 3MiB}]\n",
        {"3:36: \"64\" has no unit; write one of B, KiB, MiB, GiB, kB, MB, GB after the number, such as 4KiB",
         "5:44: the size 0B must be a whole number of bytes above zero",
         "5:84: tcp_window must be a text, such as 3MiB; here is nothing",
         "6:41: tcp_window is of hosts, whose buffers it is a part of, not of links: give it in an entry of hosts, or "
         "under defaults"}},
    FaultCase{"NoRate",
              "trunkline: cluster/1\n"
              "name: x\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: h, switch: s0}\n"
              "links:\n"
              "  - {between: [s0, s1]}\n",
              {"5:5: no rate is given; write rate: 100Mbit here, or once for all under defaults",
               "7:5: no rate is given; write rate: 100Mbit here, or once for all under defaults"}},
    FaultCase{"UnknownSwitch",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: rack[1-2]\n"
              "hosts:\n"
              "  - {hosts: a, switch: rak1}\n"
              "  - {hosts: b, switches: 'rack[2-3]', deal: 1}\n"
              "  - {hosts: c, switch: a}\n"
              "links:\n"
              "  - between: [rack1, rack9]\n"
              "  - between: [rack1, zzz]\n",
              {"6:24: rak1 is not among the switches (did you mean rack1?)",
               "7:26: rack3 is not among the switches (did you mean rack1?)", "8:24: a is a host, not a switch",
               "10:22: rack9 is neither a switch nor a host (did you mean rack1?)",
               "11:22: zzz is neither a switch nor a host"}},
    FaultCase{"SwitchAndSwitches",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0, switches: s0, deal: 1}]\n",
              {"5:42: both switch and switches are given; keep one"}},
    FaultCase{"DealMissing",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switches: s0}]\n",
              {"5:9: the key deal is missing; give it, such as deal: 1 (that many hosts at a time go to each switch in "
               "turn)"}},
    FaultCase{"DealWithoutSwitches",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts: [{hosts: h, switch: s0, deal: 2}]\n",
              {"5:38: deal goes with switches, a host list of several; leave it out"}},
    FaultCase{
        "DealNotANumber",
        "trunkline: cluster/1\n"
        "name: x\n"
        "defaults: {rate: 1Gbit}\n"
        "switches: s0\n"
        "hosts:\n"
        "  - {hosts: h, switches: s0, deal: 0}\n"
        "  - {hosts: g, switches: s0, deal: two}\n"
        "  - {hosts: f, switches: s0, deal: [1]}\n"
        "  - {hosts: e, switches: s0, deal: 99999999999}\n",
        {"6:36: deal must be a whole number from 1, not \"0\"", "7:36: deal must be a whole number from 1, not \"two\"",
         "8:36: deal must be a whole number from 1, not a list",
         "9:36: deal must be a whole number from 1, not \"99999999999\""}},
    FaultCase{"BadHostlists",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0\n"
              "hosts:\n"
              "  - hosts: h[3-1]\n"
              "    switch: s0\n"
              "  - hosts: [ok, \"a,,b\", \"r[1-2]n[x]\"]\n"
              "    switch: s0\n",
              {"4:12: switches: a [ without its ]", "6:14: hosts: the range 3-1 runs backwards; write 1-3",
               "8:20: hosts: a name is missing before the comma",
               "8:34: hosts: inside [ ] stand numbers and ranges, such as [01-16,20]"}},
    FaultCase{"HugeHostlist",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts:\n"
              "  - hosts: h[0-99999999]\n"
              "    switch: s0\n",
              {"6:12: hosts: more than 1000000 names; is a number mistyped?"}},
    FaultCase{"HugeTogether",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-9]\n"
              "hosts:\n"
              "  - hosts: h[0-599999]\n"
              "    switch: s0\n"
              "  - hosts: g[0-599999]\n"
              "    switch: s0\n",
              {"8:12: hosts: more than 1000000 nodes together with those above; is a number mistyped?"}},
    FaultCase{
        "TwoNodesOneName",
        "trunkline: cluster/1\n"
        "name: x\n"
        "defaults: {rate: 1Gbit}\n"
        "switches: [s0, s0]\n"
        "hosts:\n"
        "  - {hosts: 'h[0-3]', switch: s0}\n"
        "  - {hosts: 'h[2-3],s0', switch: s0}\n",
        {"4:11: name s0 belongs to another node already; every name and alias stands for one node (first at line 4)",
         "7:13: name h2 belongs to another node already; every name and alias stands for one node (first at line 6); "
         "and 2 more like it here"}},
    FaultCase{
        "AliasClashes",
        "trunkline: cluster/1\n"
        "name: x\n"
        "defaults: {rate: 1Gbit}\n"
        "switches: s0\n"
        "hosts:\n"
        "  - hosts: h[0-3]\n"
        "    switch: s0\n"
        "    aliases:\n"
        "      h0: [h1]\n"
        "      h2: [s0, a]\n"
        "      h3: a\n",
        {"9:12: alias h1 belongs to another node already; every name and alias stands for one node (first at line 6)",
         "10:12: alias s0 belongs to another node already; every name and alias stands for one node (first at line 4)",
         "11:11: alias a belongs to another node already; every name and alias stands for one node (first at line 6)"}},
    FaultCase{"AliasOfNobody",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts:\n"
              "  - hosts: h[0-3]\n"
              "    switch: s0\n"
              "    aliases:\n"
              "      h9: [a]\n"
              "      h[0-1]: [b, \"c[1-3]\", \"d[\", {}]\n",
              {"9:7: h9 is not among the hosts of this entry",
               "10:16: 1 aliases for 2 hosts; give each host one, in order, or several host lists as [..., ...]",
               "10:19: 3 aliases for 2 hosts; give each host one, in order, or several host lists as [..., ...]",
               "10:31: aliases: a [ without its ]",
               "10:35: aliases must be a text, such as node[0-3].lab; here is a mapping"}},
    FaultCase{"HostWithoutLink",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts:\n"
              "  - hosts: h[0-3]\n",
              {"6:12: host h0 has no link; give its switch; and 3 more like it here"}},
    FaultCase{"HostWithTwoLinks",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
              "links:\n"
              "  - between: [s0, s1]\n"
              "  - between: [h0, s1]\n",
              {"6:13: host h0 has 2 links; a host has one, so keep one and make a switch of it if it forwards"}},
    FaultCase{"LinkToItself",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-1]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 1}\n"
              "links:\n"
              "  - between: [s0, s1]\n"
              "  - between: [s1, s1]\n",
              {"9:14: a link from s1 to itself; name two nodes"}},
    FaultCase{"LinkBetweenHosts",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s0\n"
              "hosts:\n"
              "  - hosts: [a, b]\n"
              "links:\n"
              "  - between: [a, b]\n",
              {"4:11: the cluster is in pieces: no link joins s0 to the rest (a, b); add the link that is missing",
               "8:14: a - b joins two hosts; hosts hang on a switch"}},
    FaultCase{"TwoPieces",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-3]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-9]', switch: s0}\n"
              "  - {hosts: g0, switch: s3}\n"
              "links:\n"
              "  - between: [s0, s1]\n"
              "  - between: [s2, s3]\n",
              {"4:11: the cluster is in pieces: no link joins s2, s3, g0 to the rest (s0, s1, h0, h1 and 8 more); add "
               "the link that is missing"}},
    FaultCase{"ThreePieces",
              "trunkline: cluster/1\n"
              "name: x\n"
              "defaults: {rate: 1Gbit}\n"
              "switches: s[0-2]\n"
              "hosts:\n"
              "  - {hosts: 'h[0-9]', switch: s0}\n",
              {"4:11: the cluster is in pieces: no link joins s1 to the rest (s0, h0, h1, h2 and 7 more); add the link "
               "that is missing",
               "4:11: the cluster is in pieces: no link joins s2 to the rest (s0, h0, h1, h2 and 7 more); add the link "
               "that is missing"}},
    FaultCase{
        "SeveralAtOnceInFileOrder",
        "trunkline: cluster/1\n"
        "name: x\n"
        "defaults: {rate: 1Gbit}\n"
        "switches: s[0-2]\n"
        "hosts:\n"
        "  - hosts: h[0-1]\n"
        "    switch: s0\n"
        "    colour: red\n"
        "  - hosts: h1\n"
        "    switch: s1\n"
        "links:\n"
        "  - between: [s0, s0]\n"
        "    rate: 0bit\n"
        "  - between: [s0, s1]\n",
        {"8:5: unknown key \"colour\"; known here are hosts, switch, switches, deal, rate, latency, back, injection, "
         "tcp_window, aliases, loss, corrupt, garble, duplicate, reorder, reorder_by, jitter",
         "9:12: name h1 belongs to another node already; every name and alias stands for one node (first at line 6)",
         "12:14: a link from s0 to itself; name two nodes", "13:11: the rate 0bit must be above zero"}}};

class ClusterFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(ClusterFaults, AreSaidExactly) { EXPECT_EQ(faults_of(parse_cluster, GetParam().yaml), GetParam().faults); }

INSTANTIATE_TEST_SUITE_P(All, ClusterFaults, ::testing::ValuesIn(cluster_faults), case_name);

}  // namespace
}  // namespace trunkline
