import { useState } from 'preact/hooks'
import draft from 'schema:knowledge#SiteDraft'
import type { KnowledgeSource, SitePages } from '../../../../../schema/knowledge.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import type { Place } from './folders.tsx'
import { addressOf, patternsIn } from './patterns.ts'
import { Look } from './site-pages.tsx'

/** The form values of a site. */
export interface Reach { url: string, depth: string, count: string, refresh: string, include: string, exclude: string }

const NEW: Reach = { url: '', depth: '0', count: '50', refresh: '', include: '', exclude: '' }

function reachOf ({ urls, depth, count, refresh_hours: hours, include, exclude }: KnowledgeSource): Reach {
  return {
    url: urls[0] ?? '',
    depth: String(depth ?? 0),
    count: String(count ?? 1),
    refresh: String(hours ?? ''),
    include: (include ?? []).join('\n'),
    exclude: (exclude ?? []).join('\n')
  }
}

/** Whether an address looks like a sitemap. */
const isList = (url: string) => /\.xml(?:\.gz)?$/i.test(URL.parse(url)?.pathname ?? '')

/** How many patterns a site may have, of each kind. */
const MOST_PATTERNS = Number(schemaAt(draft, 'exclude').maxItems)

/** The settings by which a site is read, as requested. `isOne`: a single page, without pages to choose. */
function askedOf ({ url, depth, count, include, exclude }: Reach, isOne: boolean) {
  return {
    url: addressOf(url),
    depth: Number(depth),
    count: isOne ? 1 : Number(count),
    include: isOne ? [] : patternsIn(include),
    exclude: isOne ? [] : patternsIn(exclude)
  }
}

/** Adds a page or site, or changes which pages of a `source` are read: depth, patterns, and a preview of the result. */
export function SiteForm ({ route, folder, source, onSaved, onClose }: {
  route: string
  folder?: Place | undefined
  source?: KnowledgeSource
  onSaved: (source: KnowledgeSource | undefined) => void
  onClose: () => void
}) {
  const said = siteTexts()
  const { knowledge, ui } = texts.value
  const [reach, setReach] = useState<Reach>(source ? reachOf(source) : NEW)
  const [listed, setListed] = useState<string>()
  const isMany = (source?.urls.length ?? 1) > 1 || (source?.count ?? 1) > 1
  const address = addressOf(reach.url)
  const isListed = isList(address) || listed === address
  const isOne = reach.depth === '0' && !isMany && !isListed
  const asked = askedOf(reach, isOne)
  const save = useAction(async () => {
    const { url, ...rest } = asked
    const hours = reach.refresh === '' ? null : Number(reach.refresh)
    const draft = { ...rest, refresh_hours: hours }
    if (source) {
      onSaved((await api.put<KnowledgeSource>(`${route}/${source.id}`, draft)).data)
    } else {
      await api.post(route, { ...draft, urls: [url], ...(folder && { agent_knowledge_folder: folder.id }) })
      onSaved(undefined)
    }
    onClose()
  })
  const set = (changed: Partial<Reach>) => setReach((before) => ({ ...before, ...changed }))
  const look = async (site: { url: string }, signal: AbortSignal) => {
    const { data } = await api.post<SitePages>(`${route}/pages`, site, { signal })
    if (data.from === 'sitemap') setListed(site.url)
    return data
  }
  return (
    <FormDialog
      wide action={save} onClose={onClose} verb={source ? ui.save : knowledge.addVerb}
      title={source ? fill(said.changeTitle, { name: source.title }) : knowledge.addPage}
    >
      <Fields {...{ reach, set, isOne, isListed, save }} isNew={!source} />
      {source && source.urls.length > 1 && (
        <Field label={said.which} hint={fill(said.together, { n: shownNumber(source.urls.length) })}>
          <select value={reach.url} onChange={(event) => set({ url: event.currentTarget.value })}>
            {source.urls.map((url) => <option key={url}>{url}</option>)}
          </select>
        </Field>
      )}
      <Look
        {...{ asked, look }} written={reach.url} exclude={patternsIn(reach.exclude)} most={MOST_PATTERNS}
        setExclude={isOne ? undefined : (lines) => set({ exclude: lines.join('\n') })}
        useList={source ? undefined : (url) => set({ url, depth: '0', count: '500' })}
      />
      {source && <p class='hint'>{said.changeHint}</p>}
    </FormDialog>
  )
}

/** The fields of the form. */
function Fields ({ reach, set, isOne, isListed, isNew, save }: {
  reach: Reach
  set: (changed: Partial<Reach>) => void
  isOne: boolean
  isListed: boolean
  isNew: boolean
  save: ReturnType<typeof useAction<[]>>
}) {
  const said = siteTexts()
  const tooMany = (name: 'include' | 'exclude') =>
    patternsIn(reach[name]).length > MOST_PATTERNS ? fill(said.full, { n: shownNumber(MOST_PATTERNS) }) : undefined
  const wrongIn = (name: string) =>
    save.error?.details.find(({ field }) => field === name || field.startsWith(`${name}[`))?.message
  const number = (name: 'depth' | 'count' | 'refresh', min: number, max: number) => (
    <input
      type='number' min={min} max={max} required={name !== 'refresh'} value={reach[name]}
      onInput={({ currentTarget: { value } }) => {
        // A single page is requested as long as no links are followed.
        const isFirst = name === 'depth' && reach.depth === '0' && value !== '0' && reach.count === '1'
        set({ [name]: value, ...(isFirst && { count: '50' }) })
      }}
    />
  )
  const paths = (name: 'include' | 'exclude') => (
    <textarea
      rows={2} dir='ltr' spellcheck={false} autocapitalize='off' value={reach[name]}
      onInput={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <>
      {isNew && (
        <Field label={said.address} error={wrongIn('urls')}>
          <input
            required autofocus inputMode='url' placeholder='https://' value={reach.url}
            onInput={(event) => set({ url: event.currentTarget.value })}
          />
        </Field>
      )}
      <Field label={said.depth} hint={isListed ? said.depthHintList : said.depthHint} error={wrongIn('depth')}>{number('depth', 0, 10)}</Field>
      {!isOne && (
        <>
          <Field label={said.count} error={wrongIn('count')}>{number('count', 1, 500)}</Field>
          <Field label={said.include} hint={said.includeHint} error={tooMany('include') ?? wrongIn('include')}>{paths('include')}</Field>
          <Field label={said.exclude} hint={said.excludeHint} error={tooMany('exclude') ?? wrongIn('exclude')}>{paths('exclude')}</Field>
        </>
      )}
      <Field label={said.refresh} hint={said.refreshHint} error={wrongIn('refresh_hours')}>{number('refresh', 1, 8760)}</Field>
    </>
  )
}
