import type { AgentRecord } from '../../../schema/agents.ts'
import { addressAt, runsIn, safeUrl, LONGEST_LINK } from '../../platform/links.ts'
import { withoutEnd } from '../../platform/text.ts'

/** Who names an address: the agent's owner, in its settings, or a source, possibly a stranger's page. */
interface Naming { settings: readonly string[], sources: readonly string[] }

/** What texts name; `hosts`: those whose every page may be linked. */
interface Named { hosts: Set<string>, pages: Set<string>, whole: Set<string>, mail: Set<string>, numbers: Set<string> }

/** Most addresses checked per text. */
const MOST_ADDRESSES_CHECKED = 1000
/** Punctuation a sentence may have after an address. */
const MARKS = '.,:;!?*_~)'

/**
 * Whether an address may be linked, as `new URL` reads it: a web address on a host that the owner names; on one that
 * only a source names, a page that a source names, or none: a poisoned source must not collect what visitors write.
 * What follows `?` or `#` must match too. A mailbox or a telephone number must be listed. The texts are read only if
 * there is an address to check, as most answers have none.
 */
export function linksIn (naming: Naming): (address: string) => boolean {
  let known: Named | undefined
  return (address) => {
    if (address.length > LONGEST_LINK || safeUrl(address) === undefined) return false
    known ??= namedIn(naming)
    const { protocol, host, pathname, search, hash, href } = new URL(address)
    if (protocol === 'mailto:') return known.mail.has(address.slice('mailto:'.length).toLowerCase())
    if (protocol === 'tel:') return /^[+\d().-]+$/.test(pathname) && known.numbers.has(digitsOf(pathname))
    if (search || hash) return known.whole.has(href)
    return known.hosts.has(host) || known.pages.has(host + pathname)
  }
}

/** Texts by the agent's owner. */
export function settingsOf (
  { systemPrompt, appearance, behavior: { email, guidelines, escalationPrompt }, translations }: AgentRecord
): string[] {
  const greetings = Object.values(translations).flatMap(({ welcomeMessage }) => welcomeMessage ?? [])
  return [
    systemPrompt, email ?? '', escalationPrompt, appearance.welcomeMessage, ...greetings, ...guidelines.dos, ...guidelines.donts
  ]
}

function namedIn ({ settings, sources }: Naming): Named {
  const named: Named = { hosts: new Set(), pages: new Set(), whole: new Set(), mail: new Set(), numbers: new Set() }
  for (const text of [...settings, ...sources]) {
    for (const url of urlsIn(text)) {
      named.whole.add(url.href)
      named.pages.add(url.host + url.pathname).add(`${url.host}/`)
    }
    for (const [word, host] of text.matchAll(/[^\s@<>()[\]"',;:]+(@[^\s@<>()[\]"',;:]+)?/g)) {
      if (host !== undefined) named.mail.add(withoutEnd(word, MARKS).toLowerCase())
    }
    // From abroad, +49 (0)30 1234 is dialled without the (0).
    for (const [number] of text.matchAll(/\d[\d ()/.-]*/g)) {
      named.numbers.add(digitsOf(number)).add(digitsOf(number.replace('(0)', '')))
    }
  }
  for (const text of settings) for (const { host } of urlsIn(text)) named.hosts.add(host)
  return named
}

/** The web addresses in a text, each also cut after its ASCII part, and before brackets or quotes. */
function urlsIn (text: string): URL[] {
  return runsIn(text).slice(0, MOST_ADDRESSES_CHECKED).flatMap((run) => {
    const forms = [addressAt(run, 0), ...[/^[!-~]+/, /^[^()”’»]+/].map((part) => withoutEnd(part.exec(run)![0], MARKS))]
    return [...new Set(forms)].flatMap((form) => safeUrl(form) === undefined ? [] : [new URL(form)])
  })
}

function digitsOf (number: string): string {
  return number.replaceAll(/\D/g, '')
}
