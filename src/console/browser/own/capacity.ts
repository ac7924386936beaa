/** How many conversations somebody takes at once, as typed; null: as many as come, undefined: it is no number. */
export function capacityIn (typed: string): number | null | undefined {
  const text = typed.trim()
  if (text === '') return null
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined
}
