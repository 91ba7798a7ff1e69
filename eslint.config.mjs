import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { layers } from './test/tools/layers.mjs';

/** What the pure layers are given as arguments and must not reach for: time, chance, the process they run in. */
const world = {
  'no-restricted-globals': [
    'error',
    ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
    ...['process', 'console', 'Buffer', 'performance', 'crypto', 'fetch', 'require', 'global', 'globalThis'],
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: 'Take the time from a Clock.' },
    { object: 'Math', property: 'random', message: 'Take chance from a Clock.' },
  ],
  'no-restricted-syntax': [
    'error',
    { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: 'Take the time from a Clock.' },
  ],
};

export default tseslint.config(
  { ignores: ['dist/', '.workbench/', '.artifacts/', 'test/fixtures/'] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { headroom: { rules: { layers } } },
    rules: {
      'headroom/layers': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: true, attributes: true } }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // `() => list.push(x)` and `return void log()` read well and hide nothing.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // Control characters are what the text functions of this project are about.
      'no-control-regex': 'off',
      // Code points are what is meant where a string is spread.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
    },
  },
  { files: ['src/core/**', 'src/control/**'], rules: world },
  {
    files: ['test/**'],
    rules: {
      'no-console': 'off',
      // A missing element of a test's own data fails the test, which is all that is asked.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: 'readonly' } },
  },
);
