/**
 * What stands for a word in the index: 41 bits as 8 digits and letters (FNV-1a, twice, since one has but 32), so that
 * of a million words as good as none shares its key with another, and a word that was deleted is not in the file even
 * where the index keeps its key.
 */
export function wordKeyOf (word: string): string {
  let high = 0x811c9dc5
  let low = 0x2b3c4d5e
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i)
    high = Math.imul(high ^ unit, 0x01000193)
    low = Math.imul(low ^ unit, 0x01000193) ^ (low >>> 15)
  }
  return ((high >>> 0) * 512 + ((low ^ low >>> 16) & 511)).toString(36).padStart(8, '0')
}
