import { expect, test } from 'vitest';
import { findDetaching } from '../../../src/core/job/command/detaching';
import { loadParser } from '../shell/parser';

const parser = await loadParser();

test.each([
  ['docker run --gpus all img', 'container', 'docker run'],
  ['sudo docker compose up -d', 'container', 'docker compose'],
  ['tmux new -d -s x "python t.py"', 'multiplexer', 'tmux'],
  ['screen -dmS x python t.py', 'multiplexer', 'screen'],
  ['nohup python t.py > log 2>&1 &', 'background', 'nohup … &'],
  ['cd x && python t.py &', 'background', '… &'],
  ['python t.py & disown', 'background', 'disown'],
  ['sbatch job.sh', 'scheduler', 'sbatch'],
  ['ray job submit -- python t.py', 'scheduler', 'ray job'],
  ['torchrun --nnodes 2 t.py', 'multiNode', 'torchrun --nnodes 2'],
  ['torchrun --nnodes=1:4 t.py', 'multiNode', 'torchrun --nnodes 1:4'],
  ['python -m torch.distributed.launch --nnodes=2 t.py', 'multiNode', 'python --nnodes 2'],
  ['srun -N2 python t.py', 'multiNode', 'srun -N 2'],
  ['srun --nodes=2 torchrun t.py', 'multiNode', 'srun --nodes 2'],
  ['srun torchrun --nnodes 2 t.py', 'multiNode', 'torchrun --nnodes 2'],
  ['mpirun -H a,b python t.py', 'multiNode', 'mpirun -H a,b'],
  ['mpirun --hostfile hosts python t.py', 'multiNode', 'mpirun --hostfile hosts'],
  ['accelerate launch --num_machines 2 t.py', 'multiNode', 'accelerate --num_machines 2'],
  ['deepspeed --num_nodes=2 t.py', 'multiNode', 'deepspeed --num_nodes 2'],
  ['ssh other python t.py', 'otherHost', 'ssh'],
  [`bash -c 'docker run x'`, 'container', 'docker run'],
])('%s', (text, kind, what) => {
  const found = findDetaching(text, parser);
  expect(found).toMatchObject({ kind, what });
  expect(found?.advice).toMatch(/^[A-Z].*\.$/);
});

test.each([
  'python t.py',
  'nohup python t.py',
  'tensorboard --logdir x & python t.py',
  'a & b & wait',
  'docker build .',
  'torchrun --nnodes 1 --nproc-per-node 8 t.py',
  'torchrun --nnodes=1:1 t.py',
  'python t.py -N 2 --nodes 3',
  'mpirun -H localhost -np 4 python t.py',
  'ray start --head',
  'echo "docker run x"',
  'python t.py --name "a & b" # &',
  'x=$(sleep 1 &) && python t.py',
])('%s stays with us', text => {
  expect(findDetaching(text, parser)).toBeNull();
});
