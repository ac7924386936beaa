// Loaded when the first word is stemmed: 850 KB of code, 4 MB of memory, that an idle server does without. CommonJS,
// because only its `require` loads at that moment what the executable holds too.
exports.newStemmer = (algorithm) => {
  if (algorithm === 'polish') return polish()
  // Algorithms that the other package is too old to have.
  if (algorithm === 'greek') return { stem: require('@orama/stemmers/greek').stemmer }
  if (algorithm === 'hindi') return { stem: require('@orama/stemmers/indian').stemmer }
  if (algorithm === 'indonesian') return { stem: require('@orama/stemmers/indonesian').stemmer }
  if (algorithm === 'ukrainian') return { stem: require('@orama/stemmers/ukrainian').stemmer }
  return require('snowball-stemmers').newStemmer(algorithm)
}

// Snowball has none for Polish. This one takes a word from its caller, step by step, in place of returning it.
function polish () {
  const Stemmer = require('@nlpjs/lang-pl/src/stemmer-pl.js')
  const stemmer = new Stemmer()
  return {
    stem (word) {
      stemmer.setCurrent(word)
      stemmer.innerStem()
      return stemmer.getCurrent()
    }
  }
}
