/** The job file of the documentation. */
export const example = `version: 1
jobs:
  drafter:
    host: blackwell                 # ssh alias, user@host:port, or local
    cwd: ~/train/drafter
    setup: [ "source .venv/bin/activate" ]
    run: torchrun --nproc-per-node 4 train.py --max-seq-len 8192 --output-dir out/drafter
    env: { WANDB_MODE: offline }
    gpus: 4                         # any four free | [0, 1] | all
    parameters:
      max-seq-len: { flag: --max-seq-len, step: 1024, min: 4096, max: 65536 }
    outputs: [ { path: out/drafter, onRelaunch: ask } ]   # ask | keep | setAside
    fitsAfter: 3m                   # of real work; or { log: "step 20" }
  flash-attn:
    host: blackwell
    run: pip install flash-attn==2.8.3 --no-build-isolation
    env: { MAX_JOBS: 32 }
    parameters:
      MAX_JOBS: { env: MAX_JOBS, min: 1 }
`;
