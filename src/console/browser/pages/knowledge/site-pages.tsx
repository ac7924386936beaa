import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Eye, List } from 'lucide-preact'
import type { SitePage, SitePages } from '../../../../../schema/knowledge.ts'
import { failureSaid } from '../../asking/sentences.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { hasScheme, pathOf, patternOf } from './patterns.ts'

/** The pages found, with the settings they were found with. */
interface FoundPages { site: Asked, data: SitePages }

/** The settings by which a site is read. */
interface Asked { url: string, depth: number, count: number, include: string[], exclude: string[] }

interface LookProps {
  asked: Asked
  /** The address as it was typed. */
  written: string
  /** Asks the server. */
  look: (site: Asked, signal: AbortSignal) => Promise<SitePages>
  /** The current exclude patterns; `setExclude`: undefined if nothing can be excluded. */
  exclude: string[]
  /** Maximum number of them. */
  most: number
  setExclude: ((lines: string[]) => void) | undefined
  /** Uses the address of a sitemap instead of the current one. */
  useList: ((url: string) => void) | undefined
}

/** Shows on request which pages of a site would be read. */
export function Look ({ asked, written, look, useList, ...choosing }: LookProps) {
  const said = siteTexts()
  const [found, setFound] = useState<FoundPages>()
  const going = useRef<AbortController | undefined>(undefined)
  const shown = useRef<HTMLElement>(null)
  useEffect(() => () => going.current?.abort(), [])
  // The result is as long as the site is large, and begins below what the dialog shows of its fields.
  useLayoutEffect(() => { if (found) shown.current?.scrollIntoView({ block: 'start' }) }, [found])
  const show = useAction(async (site: Asked) => {
    const { signal } = going.current = new AbortController()
    setFound(undefined)
    try {
      const data = await look(site, signal)
      setFound({ site, data })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  })
  const wrong = show.error?.details.find(({ field }) => field === 'url')
  const isTried = wrong?.code === 'unreachable' && !hasScheme(written)
  const refusal = wrong?.code
    ? failureSaid({ code: wrong.code, message: wrong.message })
    : show.error && sentenceOf(show.error)
  return (
    <section class='stack' ref={shown}>
      <div class='actions'>
        <Button
          icon={Eye} busy={show.isBusy}
          onClick={({ currentTarget: { form } }) => { if (!form || form.checkValidity()) show.run(asked) }}
        >
          {said.show}
        </Button>
        {show.isBusy && <Button kind='quiet' onClick={() => going.current?.abort()}>{said.stop}</Button>}
      </div>
      <div role='status'>
        {show.isBusy && <p class='hint'>{said.showing}</p>}
        {found && <Sum {...choosing} {...found} asked={asked} />}
      </div>
      {show.error && <p class='error' role='alert'>{isTried ? fill(said.tried, { url: asked.url }) : refusal}</p>}
      {found && useList && found.data.from === 'links' && found.data.sitemaps[0] && (
        <div class='actions'>
          <span>{said.sitemap}</span>
          {found.data.sitemaps.slice(0, 3).map((url, _, all) => (
            <Button
              key={url} icon={List}
              onClick={() => {
                useList(url)
                show.run({ ...asked, url, depth: 0, count: 500 })
              }}
            >
              {said.useSitemap}{all.length > 1 && ` ${pathOf(url)}`}
            </Button>
          ))}
        </div>
      )}
      {found && <Found {...choosing} {...found} />}
    </section>
  )
}

/** Maximum number of rows shown. */
const ROWS = 50

type FoundProps = Omit<LookProps, 'written' | 'look' | 'useList'> & FoundPages

/** The pages found, and which of them the current patterns leave out. */
function chosenOf ({ data: { pages }, site, exclude }: Pick<FoundProps, 'data' | 'site' | 'exclude'>) {
  const patterns = new Map(pages.map(({ url }) => [url, patternOf(url)]))
  const isLeft = ({ url }: SitePage) => exclude.includes(patterns.get(url) ?? '')
  // Pages excluded by their own pattern are read again when that is removed.
  const wasLeft = ({ url, reason }: SitePage) => reason === 'excluded' && site.exclude.includes(patterns.get(url) ?? '')
  const isTaken = (page: SitePage) => !isLeft(page) && (page.taken || wasLeft(page))
  return { patterns, isLeft, isTaken }
}

/** What is said of the pages as a whole. */
function Sum ({ asked, setExclude, ...found }: FoundProps) {
  const said = siteTexts()
  const { site, data: { pages, more } } = found
  const { patterns, isTaken } = chosenOf(found)
  const taken = pages.filter(isTaken).length
  const single = new Set(patterns.values())
  const others = (one: Asked) => JSON.stringify({ ...one, exclude: one.exclude.filter((line) => !single.has(line)) })
  return (
    <>
      <p><strong>{sum(taken, more)}</strong></p>
      {taken < pages.length && <p class='hint'>{fill(said.left, { n: shownNumber(pages.length - taken) })}</p>}
      {more && <p class='hint'>{said.more}</p>}
      {!setExclude && <p class='hint'>{said.onlyThis}</p>}
      {others(asked) !== others(site) && <p class='error'>{said.stale}</p>}
    </>
  )
}

/** The pages found, filtered by the current patterns. */
function Found ({ exclude, setExclude, most: mostLeft, ...found }: Omit<FoundProps, 'asked'>) {
  const said = siteTexts()
  const id = useId()
  const [most, setMost] = useState(ROWS)
  const { data: { pages } } = found
  const { patterns, isLeft, isTaken } = chosenOf({ ...found, exclude })
  const isFull = exclude.length >= mostLeft
  const toggle = (page: SitePage) => {
    const pattern = patterns.get(page.url) ?? ''
    setExclude?.(isLeft(page) ? exclude.filter((line) => line !== pattern) : [...exclude, pattern])
  }
  return (
    <>
      <div role='status' id={id}>
        {setExclude && isFull && <p class='hint'>{fill(said.full, { n: shownNumber(mostLeft) })}</p>}
      </div>
      <ul class='plain'>
        {pages.slice(0, most).map((page) => (
          <Row
            key={page.url} page={page} why={isTaken(page) ? undefined : said.why[isLeft(page) ? 'excluded' : page.reason]}
            isLeft={isLeft(page)} fullId={isFull && !isLeft(page) ? id : undefined}
            toggle={setExclude && (isTaken(page) || isLeft(page)) ? () => toggle(page) : undefined}
          />
        ))}
      </ul>
      {pages.length > most && <Button onClick={() => setMost(most + 100)}>{texts.value.ui.more}</Button>}
    </>
  )
}

/** A sentence with the number of pages that would be read. */
function sum (taken: number, isPart: boolean): string {
  const { none, one, some, atLeast } = siteTexts()
  if (taken === 0) return none
  if (isPart) return fill(atLeast, { n: shownNumber(taken) })
  return taken === 1 ? one : fill(some, { n: shownNumber(taken) })
}

/** A page and, if it is not read, the reason. `fullId`: the id of what says that no more can be left out. */
function Row ({ page: { url, title }, why, isLeft, fullId, toggle }: {
  page: SitePage
  why: string | undefined
  isLeft: boolean
  fullId: string | undefined
  toggle: (() => void) | undefined
}) {
  const said = siteTexts()
  const path = pathOf(url)
  const verb = isLeft ? said.takeIn : said.leaveOut
  return (
    <li class='source'>
      <div class='grow'>
        <strong class={why ? 'cut unused' : 'cut'} title={title ?? path}>{title ?? path}</strong>
        <span class='quiet cut'>{[title !== null && path, why].filter(Boolean).join(' · ')}</span>
      </div>
      {toggle && (
        <Button
          kind='quiet' aria-label={`${verb} – ${title ?? path}`} disabled={fullId !== undefined} aria-describedby={fullId}
          onClick={toggle}
        >
          {verb}
        </Button>
      )}
    </li>
  )
}
