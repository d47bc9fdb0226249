// SPDX-License-Identifier: GPL-3.0-or-later
// How long the threads of a parallel loop spin for one another before they sleep.
#pragma once

namespace trainscope {

// To be called before anything is computed: sets GOMP_SPINCOUNT and starts the program anew with
// it, since libgomp reads it only when it is loaded. What the user has set (GOMP_SPINCOUNT or
// OMP_WAIT_POLICY) stays. Returns when nothing had to be done, or when it could not be.
//
// libgomp spins for about ten milliseconds, which is right on a machine that does nothing else.
// Here a window is drawn beside the training: when it, or any program, takes one of the cores,
// every parallel loop waits that long for the thread that lost its core, on a core which that
// thread could have had. Measured on 2 cores with other work on them: loops are 25 times slower
// than with a tenth of a millisecond. On a free machine the loops of a step follow one another
// faster still.
void limit_spinning(char** argv);

}  // namespace trainscope
