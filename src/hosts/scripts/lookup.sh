# Looks for the command of a job where the job will run: in its environment, in its folder, behind its setup lines. Runs in a
# shell of its own that holds the environment already. What runs it assigns $NONCE, $WORD (the first word of the command, or
# nothing) and $FOLDER, and defines a function `setup`. src/core/job/environment/commandLookup.ts reads what it prints; setup lines may
# print what they like between.
#
#   ␞NONCE gpus yes|no␞ ␞NONCE scheduler NAME␞   a scheduler and no GPU: a login node
#   ␞NONCE folder missing␞                        and nothing else
#   ␞NONCE setup LINE CODE␞                       a setup line failed
#   ␞NONCE found PATH␞                            a path, or the name of a builtin or function
#   ␞NONCE real PATH␞ ␞NONCE runs PATH␞           what it links to; what its first line hands it to
#   ␞NONCE candidate PATH␞                        not found, but here it is
#   ␞NONCE done␞

mark() { printf '\036%s %s\036\n' "$NONCE" "$1"; }

# Whether there is any GPU, or what stands in for the tool that would tell.
look_for_gpus() {
  for sign in /dev/nvidia[0-9]* /dev/kfd /dev/dxg /dev/nvhost-gpu; do
    [ -e "$sign" ] && mark 'gpus yes' && return
  done
  for tool in nvidia-smi amd-smi rocm-smi; do
    command -v "$tool" >/dev/null && mark 'gpus yes' && return
  done
  mark 'gpus no'
}

look_for_scheduler() {
  for tool in sbatch qsub bsub; do
    command -v "$tool" >/dev/null && mark "scheduler $tool" && return
  done
}

# Where environments are kept that nobody has activated.
tell_candidates() {
  for place in ./.venv ./venv ./env ./.conda ../.venv ../venv "$HOME"/.venv "$HOME"/venv \
    "$HOME"/miniconda3 "$HOME"/anaconda3 "$HOME"/miniforge3 "$HOME"/mambaforge "$HOME"/micromamba /opt/conda /opt/miniconda3 \
    "$HOME"/miniconda3/envs/* "$HOME"/anaconda3/envs/* "$HOME"/miniforge3/envs/* "$HOME"/mambaforge/envs/* \
    "$HOME"/micromamba/envs/* "$HOME"/.conda/envs/* /opt/conda/envs/* \
    "$HOME"/.local "$HOME"/.cargo /usr/local/cuda /usr/local; do
    file=$place/bin/$WORD
    case $place in ./*) file=$PWD/${file#./} ;; esac
    [ -f "$file" ] && [ -x "$file" ] && mark "candidate $file"
  done
}

tell_file() {
  real=$(readlink -f "$1") && [ "$real" != "$1" ] && mark "real $real"
  line=
  IFS= read -r line <"$1"
  case $line in
  '#!'*)
    # shellcheck disable=SC2086 # its words
    set -- ${line#??}
    case ${1##*/} in
    env) shift && case ${1:-} in -S) shift ;; esac && set -- "$(command -v "${1:-}")" ;;
    esac
    [ -z "${1:-}" ] || mark "runs $1"
    ;;
  esac
}

look_up() {
  # shellcheck disable=SC2088 # as the user wrote it
  case $WORD in
  '') return ;;
  '~/'*) WORD=$HOME/${WORD#??} ;;
  esac
  found=$(command -v "$WORD")
  case $found in
  '')
    case $WORD in */*) ;; *) tell_candidates ;; esac
    ;;
  alias\ *) mark "found $WORD" ;;
  *)
    mark "found $found"
    case $found in */*) tell_file "$found" ;; esac
    ;;
  esac
}

# shellcheck disable=SC2088 # as the user wrote it
case $FOLDER in
'~') FOLDER=$HOME ;;
'~/'*) FOLDER=$HOME/${FOLDER#??} ;;
esac
look_for_gpus
look_for_scheduler
if cd "$FOLDER"; then
  setup
  look_up
else
  mark 'folder missing'
fi
mark 'done'
