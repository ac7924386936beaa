const OPENS = '<think>'
const CLOSES = '</think>'

/** Strips the reasoning that some models emit before they answer, however it is split into pieces. */
export function withoutThinking () {
  let state: 'beginning' | 'thinking' | 'answering' = 'beginning'
  let held = ''

  /** The part of a piece that can be shown by now. */
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
    /** At the end, what was held back: a possible start of a reasoning block. */
    end: () => state === 'beginning' ? held : ''
  }
}
