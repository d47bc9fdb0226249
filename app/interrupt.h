// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C and SIGTERM as a wish to end, for the command line and for the window.
#pragma once

namespace trainscope {

// From now on the first SIGINT or SIGTERM makes the file that is returned readable instead of
// ending the program; the one after it, of either kind, ends the program at once. -1 where there
// is no file to be had: then both end it as ever.
int catch_interrupts();

}  // namespace trainscope
