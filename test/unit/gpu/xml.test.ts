import { test } from 'vitest';
import { check, mib } from './check';

const args = 'nvidia-smi -q -x';
const document = (gpus: string, dtd = 'v12') =>
  `<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_${dtd}.dtd">\n<nvidia_smi_log>\n${gpus}</nvidia_smi_log>\n`;
const gpu = (inner: string) => `<gpu id="00000000:01:00.0">\n${inner}\n</gpu>\n`;
const process = (pid: string, name: string, memory = '5 MiB') =>
  `<process_info><pid>${pid}</pid><type>C</type><process_name>${name}</process_name><used_memory>${memory}</used_memory></process_info>`;

test('v6 calls the list compute_processes', () => {
  check(
    {
      args: 'nvidia-smi -x -q',
      text: document(
        gpu(`<product_name>Tesla K20m</product_name><serial/><uuid>GPU-1</uuid>
          <fb_memory_usage><total>4799 MiB</total><used>11 MiB</used><free>4788 MiB</free></fb_memory_usage>
          <utilization><gpu_util>3 %</gpu_util></utilization><temperature><gpu_temp>31 C</gpu_temp></temperature>
          <power_readings><power_draw>26.04 W</power_draw><power_limit>225.00 W</power_limit></power_readings>
          <compute_processes>${process('7', 'python')}</compute_processes>
          <accounted_processes>${process('8', 'of the past')}</accounted_processes>`),
        'v6',
      ),
    },
    {
      gpus: [
        {
          uuid: 'GPU-1',
          name: 'Tesla K20m',
          memoryTotalBytes: mib(4799),
          memoryUsedBytes: mib(11),
          utilization: 3,
          temperatureC: 31,
          powerWatts: 26.04,
          powerLimitWatts: 225,
        },
      ],
      processes: [{ gpu: 'GPU-1', pid: 7, name: 'python', memoryBytes: mib(5) }],
    },
  );
});

test('v9 may say N/A in the place of the whole list', () => {
  check(
    { args, text: document(gpu('<uuid>GPU-1</uuid><processes>N/A</processes>'), 'v9') },
    { gpus: [{ uuid: 'GPU-1' }] },
  );
});

test("of the blocks that hold power or memory, only the card's own count", () => {
  const mig = '<fb_memory_usage><total>1 MiB</total><used>2 MiB</used></fb_memory_usage>';
  check(
    {
      args,
      text: document(
        gpu(`<mig_mode><current_mig>Enabled</current_mig></mig_mode>
          <mig_devices><mig_device><index>0</index>${mig}</mig_device></mig_devices><uuid>GPU-1</uuid><minor_number>5</minor_number>
          <fb_memory_usage><total>100 MiB</total><reserved>7 MiB</reserved><used>20 MiB</used></fb_memory_usage>
          <bar1_memory_usage><total>3 MiB</total><used>4 MiB</used></bar1_memory_usage>
          <cc_protected_memory_usage><total>0 MiB</total><used>0 MiB</used></cc_protected_memory_usage>
          <module_power_readings><power_draw>900.00 W</power_draw><current_power_limit>1000.00 W</current_power_limit></module_power_readings>
          <gpu_memory_power_readings><average_power_draw>50.00 W</average_power_draw></gpu_memory_power_readings>
          <gpu_power_readings><power_draw>N/A</power_draw><average_power_draw>N/A</average_power_draw>
          <instant_power_draw>61.50 W</instant_power_draw><current_power_limit>700.00 W</current_power_limit></gpu_power_readings>`),
      ),
    },
    {
      gpus: [
        {
          uuid: 'GPU-1',
          memoryTotalBytes: mib(100),
          memoryUsedBytes: mib(20),
          powerWatts: 61.5,
          powerLimitWatts: 700,
          migEnabled: true,
        },
      ],
    },
  );
});

test('process names go out as they are: ill-formed, or escaped', () => {
  const names = [
    '/a & b',
    '/a &lt;b&gt; &amp; &quot;c&quot; &apos; &#233; &#x41;',
    '/tmp/<b>/x',
    '/tmp/a<b',
    '/x\uFFFDy',
    '&bogus; &#0;',
  ];
  const read = ['/a & b', '/a <b> & "c" \' é A', '/tmp/<b>/x', '/tmp/a<b', '/x\uFFFDy', '&bogus; &#0;'];
  check(
    {
      args,
      text: document(
        gpu(`<uuid>GPU-1</uuid><processes>${names.map((name, at) => process(`${at + 1}`, name)).join('')}</processes>`),
      ),
    },
    {
      gpus: [{ uuid: 'GPU-1' }],
      processes: read.map((name, at) => ({ gpu: 'GPU-1', pid: at + 1, name, memoryBytes: mib(5) })),
    },
  );
});

test('a process that may not be read is none, and the rest is partial', () => {
  const list = process('N/A', 'N/A', 'N/A') + process('7', 'Insufficient Permissions', 'N/A');
  check(
    { args, text: document(gpu(`<uuid>GPU-1</uuid><processes>${list}</processes>`)) },
    { gpus: [{ uuid: 'GPU-1' }], processes: [{ gpu: 'GPU-1', pid: 7, name: null, memoryBytes: null }], partial: true },
  );
});

test('a fault is told in words without brackets, and is not taken from the name of a process', () => {
  const well = gpu(`<uuid>GPU-1</uuid><utilization><gpu_util>5 %</gpu_util></utilization>
    <processes>${process('7', 'GPU is lost')}</processes>`);
  const lost = gpu('<uuid>GPU-2</uuid><utilization><gpu_util>GPU is lost</gpu_util></utilization>');
  const reset = gpu('<uuid>GPU-3</uuid><utilization><gpu_util>GPU requires reset</gpu_util></utilization>');
  const processes = [{ gpu: 'GPU-1', pid: 7, name: null, memoryBytes: mib(5) }];
  const wellRead = { index: 0, uuid: 'GPU-1', utilization: 5 };
  check({ args, text: document(well) }, { gpus: [wellRead], processes });
  check(
    { args, text: document(well + reset) },
    {
      gpus: [wellRead, { index: 1, uuid: 'GPU-3', fault: 'requiresReset' }],
      processes,
      partial: true,
    },
  );
  check(
    { args, text: document(well + lost) },
    {
      gpus: [wellRead, { index: 1, uuid: 'GPU-2', fault: 'lost' }],
      processes,
      error: 'gpuLost',
      partial: true,
    },
  );
});

test('of several documents the last whole one counts', () => {
  const at = (percent: number) => gpu(`<uuid>GPU-1</uuid><utilization><gpu_util>${percent} %</gpu_util></utilization>`);
  check(
    { args: `${args} -l 1`, exitCode: null, text: document(at(1)) + document(at(2)) + document(at(3)).slice(0, -40) },
    { gpus: [{ uuid: 'GPU-1', utilization: 2 }] },
  );
});

test('a document that stops inside a device is partial', () => {
  const text = document(gpu('<uuid>GPU-1</uuid>') + gpu('<uuid>GPU-2</uuid>'));
  check(
    { args, exitCode: null, text: text.slice(0, text.indexOf('GPU-2')) },
    { gpus: [{ uuid: 'GPU-1' }], partial: true },
  );
});

test('warnings may stand before the document and line ends may be CRLF', () => {
  const text = `WARNING: infoROM is corrupted at gpu 0000:01:00.0\n${document(gpu('<uuid>GPU-1</uuid>'))}`;
  check({ args, text: text.replaceAll('\n', '\r\n') }, { gpus: [{ uuid: 'GPU-1' }] });
});

test('a document without a device says so', () => {
  check({ args, text: document('<attached_gpus>0</attached_gpus>\n') }, { error: 'noDevices' });
});

test('devices without a uuid are known by their place', () => {
  check(
    { args, text: document(gpu('<uuid>N/A</uuid>') + gpu(`<processes>${process('7', 'x')}</processes>`)) },
    { gpus: [{ index: 0 }, { index: 1 }], processes: [{ gpu: '1', pid: 7, name: 'x', memoryBytes: mib(5) }] },
  );
});
