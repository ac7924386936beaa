import type { Document } from '../document.ts'
import { clean, Draft } from '../draft.ts'
import { unescaped } from './markup/html.ts'

const TIMES = /^(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3}) *--> *(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})/
/**
 * Seconds of silence after which a new paragraph begins, and characters after which one does at the end of a sentence.
 */
const SILENCE = 3
const LONG = 600

/** Whether a text is subtitles, and of which kind. */
export function subtitlesIn (text: string): 'srt' | 'vtt' | undefined {
  if (/^\uFEFF?WEBVTT(?:[ \t\r\n]|$)/.test(text)) return 'vtt'
  return /^\uFEFF?\s*\d+[ \t]*\r?\n\d{1,2}:\d\d:\d\d[.,]\d{1,3} *--> *\d/.test(text) ? 'srt' : undefined
}

/** Subtitles as what is said, in paragraphs, without times and marks. Throws `no_text`. */
export function readSubtitles (text: string, format: 'srt' | 'vtt'): Document {
  const draft = new Draft(format)
  let paragraph: string[] = []
  let ended: number | undefined
  const flush = () => {
    draft.add(paragraph.join(' '))
    paragraph = []
  }
  for (const { from, to, said } of cues(clean(text))) {
    const before = paragraph.at(-1)
    const isLong = paragraph.join(' ').length > LONG && /[.!?…。！？]["'”’»)]*$/.test(before ?? '')
    if (isLong || (ended !== undefined && from - ended > SILENCE)) flush()
    // Captions that roll up say each line twice.
    if (said && said !== before) paragraph.push(said)
    ended = to
  }
  flush()
  return draft.finish()
}

function * cues (text: string): Generator<{ from: number, to: number, said: string }> {
  for (const block of text.split(/\n[ \t]*\n/)) {
    const lines = block.split('\n')
    const at = lines.findIndex((line) => TIMES.test(line))
    const times = TIMES.exec(lines[at] ?? '')
    if (times) yield { from: seconds(times.slice(1, 5)), to: seconds(times.slice(5, 9)), said: plain(lines.slice(at + 1).join('\n')) }
  }
}

function seconds ([hours = '0', minutes = '0', seconds = '0', parts = '0']: (string | undefined)[]): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${parts}`)
}

/** Without marks: who speaks is kept, how and where it is shown is not. */
function plain (text: string): string {
  const named = text.replace(/<v(?:\.[^\s<>]*)?\s([^<>]*)>/g, '$1: ').replace(/\{\\[^{}]*\}/g, '')
  const bare = named.replace(/<[^<>]*>/g, '')
  return (bare.includes('&') ? unescaped(bare) : bare).replace(/\s+/g, ' ').trim()
}
