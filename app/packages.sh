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
    libopenblas-dev
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

# build PRESET TARGET [CMAKE OPTION...]: configures and builds in build/PRESET; says so only when that
# takes longer than a moment.
build() {
    local preset=$1 target=$2 notice status=0
    shift 2
    quietly "configuring ($preset)" cmake --preset "$preset" "$@" || return 1
    (sleep 3 && printf 'Building (%s) in build/%s ...\n' "$preset" "$preset") &
    notice=$!
    quietly "building ($preset)" cmake --build "build/$preset" --target "$target" || status=1
    kill "$notice" 2>/dev/null || true
    wait "$notice" 2>/dev/null || true
    return "$status"
}

# One clear line about what a machine without the CUDA toolkit does not get.
say_cuda() {
    if ! command -v nvcc >/dev/null; then
        printf "No nvcc here: CUDA kernels are not compiled; the window and training need none.\n"
    fi
}
