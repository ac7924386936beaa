// Loaded when the first German word is taken apart: 5 MB of memory that a server without German texts does without. See
// stemmers.cjs.
exports.germanWords = () => {
  const { wikipedia, commonWords } = require('@zxcvbn-ts/language-de').dictionary
  return [wikipedia, commonWords]
}
