import type { DiffLine } from '../../../../../schema/versions.ts'
import { labelled, texts } from '../../texts/index.ts'

/** A line of a text diff: marked by a sign and by text for screen readers, not by colour alone. */
export function Line ({ is, text }: DiffLine) {
  if (is === 'same') return <p>{text || ' '}</p>
  const { versions } = texts.value
  const name = <span class='hidden'>{labelled(is === 'removed' ? versions.removed : versions.added, '')}</span>
  return is === 'removed' ? <p class='removed'>{name}<del>{text || ' '}</del></p> : <p class='added'>{name}<ins>{text || ' '}</ins></p>
}
