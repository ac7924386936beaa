import type { WidgetTheme } from '../../schema/widget.ts'
import { contrast, textOn } from './browser/colors.ts'

/** WCAG's minimum contrast of text. */
const READABLE = 4.5
const [INK, WRONG] = ['#17181c', '#c02626']

/**
 * The colours of a widget in light and dark mode, derived from the two that its owner has chosen. Text colours are
 * always readable, whatever those are. Pure; colours are `#rrggbb`.
 */
export function themesOf (primary: string, surface: string): Record<'day' | 'night', WidgetTheme> {
  const day = dayOf(primary, surface)
  // An owner's widget that is dark anyway stays as it is.
  return { day, night: textOn(surface) === '#ffffff' ? day : nightOf(primary) }
}

function dayOf (primary: string, surface: string): WidgetTheme {
  const text = contrast(INK, surface) >= READABLE ? INK : textOn(surface)
  const isReadable = (color: string, ground: string) => contrast(color, ground) >= READABLE
  const nearer = mix(text, 5, surface)
  // If text is barely readable on the background, bubbles differ from that in the other direction.
  const soft = isReadable(text, nearer) ? nearer : mix(textOn(text), 5, surface)
  const readable = (color: string) => (isReadable(color, surface) && isReadable(color, soft) ? color : text)
  const onPrimary = textOn(primary)
  return {
    head: primary,
    on_head: onPrimary,
    own: primary,
    on_own: onPrimary,
    surface,
    soft,
    text,
    muted: readable(mix(text, 68, surface)),
    link: readable(primary),
    wrong: readable(mix(WRONG, 72, text))
  }
}

/** The owner's colour tints it; text colours are chosen again for the mixed colour. */
function nightOf (primary: string): WidgetTheme {
  const [head, own] = [mix(primary, 62, '#101114'), mix(primary, 82, '#101114')]
  return {
    head,
    on_head: textOn(head),
    own,
    on_own: textOn(own),
    surface: mix(primary, 7, INK),
    soft: mix(primary, 5, '#24252b'),
    text: '#f1f1f4',
    muted: mix(primary, 8, '#b1b3bd'),
    link: mix(primary, 34, '#ffffff'),
    wrong: '#f87171'
  }
}

/** A given percentage of one colour, mixed with another. */
function mix (one: string, percent: number, other: string): string {
  const part = (color: string, at: number) => parseInt(color.slice(at, at + 2), 16)
  return `#${[1, 3, 5]
    .map((at) => Math.round((part(one, at) * percent + part(other, at) * (100 - percent)) / 100))
    .map((mixed) => mixed.toString(16).padStart(2, '0'))
    .join('')}`
}
