/** The most frequent words of German texts, and of films: as spelt, but in lower case, the most frequent first. */
export function germanWords (): string[][]
