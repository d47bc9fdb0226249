// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C, SIGTERM and SIGHUP as a wish to end, for the command line and for the window.
#pragma once

namespace trainscope {

// From now on the first SIGINT, SIGTERM or SIGHUP (the terminal went away) makes the file that is
// returned readable instead of ending the program; a SIGINT or SIGTERM after it ends the program at
// once, a SIGHUP does not. Where SIGHUP is ignored (nohup) it stays so. -1 where there is no file
// to be had: then each ends it as ever.
int catch_interrupts();

}  // namespace trainscope
