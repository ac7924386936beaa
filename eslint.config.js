import neostandard from 'neostandard'

export default [
  ...neostandard({
    ts: true,
    ignores: [
      'node_modules', '.tap', 'dist', 'coverage', 'data', 'tap-snapshots',
      'build', 'schema/sqlite/migrations'
    ]
  }),
  {
    rules: {
      // A TypeBox schema and its static type share one name.
      '@typescript-eslint/no-redeclare': 'off',
      'no-redeclare': 'off',
      // What cannot be broken without being harder to read or to find stays whole: sentences, SQL, expressions.
      '@stylistic/max-len': ['error', {
        code: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true, ignoreUrls: true
      }],
      'no-restricted-syntax': ['error', {
        selector: 'CallExpression[callee.property.name=/^(transaction|atomically)$/] > ArrowFunctionExpression[async=true]',
        message: 'Nothing awaits inside a transaction: it would outlive it.'
      }, {
        selector: 'CallExpression[callee.property.name=waitForFunction] > Literal:first-child',
        message: 'Wait for a function: an expression is evaluated again each time, which a strict policy forbids.'
      }]
    }
  },
  {
    files: ['src/**', 'schema/**', 'scripts/**'],
    // Texts are one table for each language. Tests are sentences in a row, of any number; functions are held to 60
    // lines everywhere (test/architecture.test.ts).
    ignores: ['src/console/browser/texts/**'],
    rules: { 'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }] }
  },
  {
    files: ['src/**', 'schema/**'],
    ignores: ['src/config.ts', 'src/main.ts', 'src/check-node.cjs', 'src/fast-start.cjs'],
    rules: { 'n/no-process-env': 'error' }
  },
  {
    files: ['src/**', 'schema/**'],
    // In the widget they save bytes that every visitor loads.
    ignores: ['src/widget/browser/**'],
    rules: { 'no-nested-ternary': 'error' }
  },
  {
    files: ['src/**'],
    // Code that browsers run has nobody else to ask but the server that it came from.
    ignores: ['src/platform/net/egress.ts', 'src/*/browser/**'],
    rules: { 'no-restricted-globals': ['error', { name: 'fetch', message: 'Only platform/net/egress.ts opens a connection outward.' }] }
  }
]
