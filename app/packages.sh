# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by ./app/run, ./tests/run and .ci/run: the Debian packages that the build needs, and installing
# those that are missing. Quiet when there is nothing to do.

app_packages=(
    build-essential cmake ninja-build pkg-config ccache
    qt6-base-dev qt6-charts-dev qt6-svg-dev libgl-dev
    libqt6opengl6-dev # the CMake file of qt6-charts-dev asks for it
    libdnnl-dev
    ocl-icd-opencl-dev # the CMake file of libdnnl-dev asks for it
    libexpected-dev libfmt-dev libcli11-dev nlohmann-json3-dev
    libboost-context-dev
    libopenblas-dev libfftw3-dev
    zlib1g-dev libpng-dev libturbojpeg0-dev
    fonts-dejavu-core
)
# shellcheck disable=SC2034 # read by the scripts that source this
test_packages=(
    "${app_packages[@]}"
    libgtest-dev libgmock-dev libbenchmark-dev
)

# Prints those of the given packages that are not installed.
missing_packages() {
    local installed package
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        grep -qxF "$package installed" <<<"$installed" || printf '%s\n' "$package"
    done
}

# install_packages PACKAGE...: makes sure that they are there, or says what is needed and fails.
install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        # Another system: its own package manager has these under similar names.
        if [ -z "${TRAINSCOPE_PACKAGES_PRESENT:-}" ]; then
            printf 'trainscope: this system has no apt-get. Install what these Debian packages hold:\n' >&2
            printf '  %s\n' "$*" >&2
            printf 'then run again with TRAINSCOPE_PACKAGES_PRESENT=1.\n' >&2
            return 1
        fi
        return 0
    fi
    local missing=()
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            printf 'trainscope: these packages are missing, and neither root nor sudo is at hand:\n  %s\n' \
                "${missing[*]}" >&2
            return 1
        fi
        root=(sudo)
    fi
    printf 'Installing %s\n' "${missing[*]}"
    local log
    log=$(mktemp)
    if ! { "${root[@]}" apt-get update -qq &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        printf 'trainscope: the packages above could not be installed.\n' >&2
        return 1
    fi
    rm -f "$log"
}

# quietly LABEL COMMAND...: runs it; prints its output only when it fails.
quietly() {
    local label=$1 log
    shift
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        printf 'trainscope: %s failed; its output is above.\n' "$label" >&2
        return 1
    fi
    rm -f "$log"
}

# show_progress PRESET LOG: says that it builds when that takes longer than a moment, and on a terminal
# how far it is. To be ended by whoever started it.
show_progress() {
    sleep 3
    printf 'Building (%s) in build/%s ...\n' "$1" "$1"
    [ -t 1 ] || return 0
    while sleep 1; do
        printf '\r\033[K%s' "$(grep -o '^\[[0-9]*/[0-9]*\]' "$2" | tail -n 1)"
    done
}

# build PRESET TARGET [CMAKE OPTION...]: configures and builds in build/PRESET; prints the output only
# when it fails.
build() {
    local preset=$1 target=$2 log notice status=0
    shift 2
    quietly "configuring ($preset)" cmake --preset "$preset" "$@" || return 1
    log=$(mktemp)
    show_progress "$preset" "$log" &
    notice=$!
    cmake --build "build/$preset" --target "$target" >"$log" 2>&1 || status=1
    kill "$notice" 2>/dev/null || true
    wait "$notice" 2>/dev/null || true
    if [ -t 1 ]; then
        printf '\r\033[K'
    fi
    if [ "$status" -ne 0 ]; then
        cat "$log" >&2
        printf 'trainscope: building (%s) failed; its output is above.\n' "$preset" >&2
    fi
    rm -f "$log"
    return "$status"
}

# One clear line about what a machine without the CUDA toolkit does not get.
say_cuda() {
    if ! command -v nvcc >/dev/null; then
        printf "No nvcc here: CUDA kernels are not compiled; the window and training need none.\n"
    fi
}
