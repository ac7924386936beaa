// Loaded when the first word is stemmed: 850 KB of code, 4 MB of memory, that an idle server does without. CommonJS,
// because only its `require` loads at that moment what the executable holds too.
exports.newStemmer = (algorithm) => require('snowball-stemmers').newStemmer(algorithm)
