import { useEffect, useState } from 'preact/hooks'
import { ChevronRight } from 'lucide-preact'
import type { KnowledgeSource } from '../../../../../schema/knowledge.ts'
import { useListing } from '../../listing.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { More } from '../../ui/more.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Source, type SourceProps } from './source.tsx'

/** Pages under the same path segment; without a name: single ones. */
interface Branch { name: string, pages: KnowledgeSource[] }

/** The pages of a site grouped by the first segment of their paths. Single ones form a group of their own. */
function branchesOf (pages: readonly KnowledgeSource[]): Branch[] {
  const parts = new Map<string, KnowledgeSource[]>()
  for (const page of pages) {
    const [first = '', ...rest] = (URL.parse(page.urls[0] ?? '')?.pathname ?? '').split('/').filter(Boolean)
    const name = rest.length > 0 ? `/${first}/` : ''
    parts.set(name, [...parts.get(name) ?? [], page])
  }
  const isBranch = ([name, own]: [string, KnowledgeSource[]]) => name !== '' && own.length > 1
  const branches = [...parts].filter(isBranch).map(([name, own]) => ({ name, pages: own }))
  const alone = [...parts].filter((one) => !isBranch(one)).flatMap(([, own]) => own)
  return [...(alone.length > 0 ? [{ name: '', pages: alone }] : []), ...branches.sort((a, b) => a.name < b.name ? -1 : 1)]
}

/** A source in the list; a site can be unfolded into its pages, grouped by path. */
export function SourceOrSite ({ stamp, ...props }: SourceProps & { stamp: number }) {
  const { source, route } = props
  const [isOpen, setOpen] = useState(false)
  const { site } = texts.value.knowledge
  // A single page has its text directly.
  const isSite = source.type === 'website' && source.parent_knowledge_source === null &&
    !(source.count === 1 && source.urls.length === 1)
  if (!isSite) return <Source {...props} />
  return (
    <>
      <Source
        {...props}
        toggle={
          <button
            type='button' class='button icon' aria-expanded={isOpen} title={site.pages}
            aria-label={fill(site.pagesOf, { name: source.title })} onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight size={16} class={isOpen ? 'turned' : ''} aria-hidden='true' />
          </button>
        }
      />
      {isOpen && <li class='tree'><Pages {...props} key={`${route}/${source.id}`} stamp={stamp} /></li>}
    </>
  )
}

function Pages ({ stamp, ...props }: SourceProps & { stamp: number }) {
  const { site } = texts.value.knowledge
  const list = useListing<KnowledgeSource>(props.route, { parent: props.source.id })
  useEffect(() => { if (stamp > 0) list.reload() }, [stamp])
  if (list.first.error) return <Failure error={list.first.error} retry={() => { list.reload() }} />
  if (!list.first.data) return <Skeleton lines={3} />
  if (list.items.length === 0) return <p class='quiet'>{site.none}</p>
  const shown = (page: KnowledgeSource) => (
    <Source
      {...props} key={page.id} source={page} onChanged={() => { list.reload() }}
    />
  )
  return (
    <>
      {branchesOf(list.items).map(({ name, pages }) => name === ''
        ? <ul key={name} class='list'>{pages.map(shown)}</ul>
        : (
          <details key={name}>
            <summary>
              <span dir='ltr'>{name}</span>{' '}
              <span class='quiet'>{fill(site.count, { n: shownNumber(pages.length) })}</span>
            </summary>
            <ul class='list'>{pages.map(shown)}</ul>
          </details>
          ))}
      <More more={list.more} />
    </>
  )
}
