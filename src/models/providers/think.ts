const OPENS = '<think>'
const CLOSES = '</think>'

/** Takes out what some models think aloud before they answer, however it is cut into pieces. */
export function withoutThinking () {
  let state: 'beginning' | 'thinking' | 'answering' = 'beginning'
  let held = ''

  /** What of a piece can be shown by now. */
  function push (piece: string): string {
    if (state === 'answering') return piece
    held += piece
    if (state === 'beginning') {
      const begun = held.trimStart()
      if (begun.length < OPENS.length && OPENS.startsWith(begun)) return ''
      if (!begun.startsWith(OPENS)) return answering(held)
      state = 'thinking'
    }
    const end = held.indexOf(CLOSES)
    if (end !== -1) return answering(held.slice(end + CLOSES.length).trimStart())
    // Enough to recognise the end by.
    held = held.slice(-CLOSES.length)
    return ''
  }

  function answering (text: string): string {
    state = 'answering'
    held = ''
    return text
  }

  return {
    push,
    /** What was held back, at the end: the beginning of what might have been a thought. */
    end: () => state === 'beginning' ? held : ''
  }
}
