import type { Rule } from 'eslint';

export const table: readonly {
  readonly of: string;
  readonly inside: readonly string[];
  readonly packages: readonly string[];
  readonly types: readonly string[];
}[];

export const layers: Rule.RuleModule;
