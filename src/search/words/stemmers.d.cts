/** A stemmer of one of snowball's algorithms, such as `french`. */
export function newStemmer (algorithm: string): { stem (word: string): string }
