// Loaded when the first word is stemmed: 850 KB of code, 4 MB of memory, that an idle server does without. CommonJS,
// because only its `require` loads at that moment what the executable holds too.
exports.newStemmer = (algorithm) => {
  // Two of Snowball's algorithms that the other package is too old to have.
  if (algorithm === 'greek') return { stem: require('@orama/stemmers/greek').stemmer }
  if (algorithm === 'hindi') return { stem: require('@orama/stemmers/indian').stemmer }
  return require('snowball-stemmers').newStemmer(algorithm)
}
