// Loaded when the first German word is taken apart: 5 MB of memory that a server without German texts does without. See
// stemmers.cjs. Its lists of names of people are not needed, so they are not carried either.
exports.germanWords = () => [
  require('@zxcvbn-ts/language-de/dist/wikipedia.json.js'), require('@zxcvbn-ts/language-de/dist/commonWords.json.js')
]
