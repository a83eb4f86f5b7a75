// What prettier and tsc do not see: dead code, likely mistakes, long lines.
import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  { ignores: ['**/vendor/*.js', '**/bundle/', '**/node_modules/'] },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { globals: globals.browser },
    rules: {
      'array-callback-return': 'error',
      eqeqeq: 'error',
      'max-len': ['error', { code: 120, ignoreUrls: true }],
      'no-shadow': ['error', { builtinGlobals: false }],
      'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-useless-return': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  { files: ['**/*.mjs'], languageOptions: { globals: globals.node } },
  { files: ['packaging/**/*.js'], languageOptions: { globals: globals.node, sourceType: 'commonjs' } },
];
