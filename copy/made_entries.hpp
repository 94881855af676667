// SPDX-License-Identifier: Apache-2.0
// Folders and links that a host makes as an entry of a listing says, by the rules of target.hpp: nothing of
// another user's gets rights or an owner, and no link is followed.
#pragma once

#include <string>

#include "folder.hpp"
#include "listing.hpp"

namespace trunkline::copy {

// Each says why it has failed; empty: it has not.

/// Where there is one already, it is taken. The caller may write into it until it gets its rights.
[[nodiscard]] std::string make_subfolder(const Folder& in, const Entry& entry);

/// Its owner, rights and time, once all is in it.
[[nodiscard]] std::string finish_subfolder(const Folder& made, const Entry& entry);

/// Takes the place of a file or a link of that name, not of a folder.
[[nodiscard]] std::string make_link(const Folder& in, const Entry& entry);

}  // namespace trunkline::copy
