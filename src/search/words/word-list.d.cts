/** The words that German texts, and films, are fullest of, as they are spelt but in small letters, the most frequent first. */
export function germanWords (): string[][]
