/** How many conversations a member takes at once, as typed; null: unlimited, undefined: not a number. */
export function capacityIn (typed: string): number | null | undefined {
  const text = typed.trim()
  if (text === '') return null
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined
}
