import { gpuKey } from '../gpu/gpuKey';
import type { HostId } from '../host/hostSpec';
import type { OwnedGpuProcess } from '../host/watchFrame';
import { formatAge, formatGiB, formatPercent, formatWattsOf, joinParts } from './format';
import { gpuName, gpuNumbers, processName, processUser } from './gpuTexts';
import { faultWords } from './gpuTrouble';
import type { GpuFacts, HostFacts } from './hostFacts';
import { plain } from './plain';
import { lines, tooltip } from './tooltip';
import { type TreeNode, treeNode } from './treeNode';

/** A row for each GPU of a host, with its processes, its MIG devices and what there is to say about it below. */
export function gpuNodes(facts: HostFacts): readonly TreeNode[] {
  return facts.gpus.map(gpu => gpuNode(facts, gpu));
}

function gpuNode(facts: HostFacts, gpu: GpuFacts): TreeNode {
  const { reading } = gpu;
  const host = facts.host.spec.id;
  const name = gpuName(gpu);
  const numbers = gpuNumbers(gpu);
  const age = facts.gpuAgeMs === null ? null : formatAge(facts.gpuAgeMs);
  const notes = noteTexts(gpu);
  return treeNode({
    id: `gpu ${plain(gpuKey(reading))}`,
    host,
    label: `GPU ${reading.index}`,
    // The numbers come first: in a narrow side bar it is the name of the card that may be cut.
    description: joinParts([age, numbers, name]),
    tooltip: tooltip(
      `GPU ${reading.index}: ${name}`,
      [lines(numbers, age), lines(...notes.map(note => note.text)), lines(uuidLine(gpu))],
      facts.host.watch?.gpu.reading?.atMs ?? null,
    ),
    icon: reading.fault !== null ? 'error' : gpu.isFree ? 'circle-large-outline' : 'circle-large-filled',
    accessibilityLabel: joinParts([
      `GPU ${reading.index}`,
      reading.fault !== null ? null : gpu.isFree ? 'free' : 'busy',
      age,
      numbers,
      name,
    ]).replaceAll(' · ', ', '),
    children: [
      ...notes.map((note, index) =>
        treeNode({
          id: `note ${index}`,
          host,
          label: note.text,
          icon: note.icon,
          tooltip: tooltip(note.text, []),
        }),
      ),
      ...(reading.migDevices ?? []).map(device =>
        treeNode({
          id: `mig ${plain(device.uuid)}`,
          host,
          label: `MIG ${plain(device.profile, 40)}`,
          description: `device ${device.index}`,
          icon: 'split-horizontal',
        }),
      ),
      ...(gpu.processes ?? []).map(process => processNode(host, process)),
    ],
  });
}

interface Note {
  readonly icon: string;
  readonly text: string;
}

function noteTexts(gpu: GpuFacts): readonly Note[] {
  const { reading } = gpu;
  if (reading.fault !== null)
    return [
      { icon: 'warning', text: faultWords[reading.fault].message },
      { icon: 'lightbulb', text: faultWords[reading.fault].advice },
    ];
  const notes: (Note | null)[] = [
    gpu.isUnderUsed
      ? {
          icon: 'lightbulb',
          text: `busy at ${formatPercent(reading.utilization)} but draws ${formatWattsOf(reading.powerWatts, reading.powerLimitWatts)}: room to go up`,
        }
      : null,
    gpu.hasUnifiedMemory ? { icon: 'info', text: 'GPU and processor share one memory: see Host memory' } : null,
    // In a container, or with /proc hidden, the list is empty while the card works.
    gpu.processes?.length === 0 && !gpu.isFree && reading.migEnabled !== true
      ? { icon: 'info', text: 'busy, but its processes are not visible from here' }
      : null,
  ];
  return notes.filter(note => note !== null);
}

function uuidLine({ reading }: GpuFacts): string | null {
  return reading.uuid === null ? null : plain(reading.uuid);
}

function processNode(host: HostId, process: OwnedGpuProcess): TreeNode {
  const name = processName(process);
  const user = processUser(process);
  return treeNode({
    id: `pid ${process.pid}`,
    host,
    label: name,
    description: joinParts([user, formatGiB(process.memoryBytes), `pid ${process.pid}`]),
    tooltip: tooltip(name, [
      lines(
        process.name === null ? null : plain(process.name, 300),
        `User: ${user}`,
        `VRAM: ${formatGiB(process.memoryBytes)}`,
        `pid ${process.pid}`,
      ),
    ]),
    icon: 'gear',
  });
}
