import { expect, it } from 'vitest';
import { baseFields, fullFields, processFields } from '../../../src/core/gpu/query';
import script from '../../../src/hosts/scripts/watch.sh';

const assigned = (name: string): string[] | undefined =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(script)?.[1]?.split(',');

it('the script asks for the fields that its reader expects', () => {
  expect(assigned('gpu_fields')).toEqual(fullFields);
  expect(assigned('gpu_base_fields')).toEqual(baseFields);
  expect(assigned('app_fields')).toEqual(processFields);
});
