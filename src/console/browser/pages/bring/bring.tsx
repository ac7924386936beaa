import { useRef } from 'preact/hooks'
import { Upload } from 'lucide-preact'
import type { Import, ImportKind, ImportState, ImportSummary } from '../../../../../schema/imports.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { go, linkTo } from '../../router.ts'
import { fill, shownAgo, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Badge, Card, Page } from '../../ui/page.tsx'
import { Loaded, sentenceOf } from '../../ui/states.tsx'
import { FileField } from './file-field.tsx'

/** Imports from other products: upload an export, preview the result, create agents from it. */
export default function Bring () {
  const { bring } = texts.value
  const list = useResource<ImportSummary[]>('/imports')
  return (
    <Page title={bring.title}>
      <p class='quiet'>{bring.intro}</p>
      <Card title={bring.upload}><Form /></Card>
      <Loaded from={list} lines={2}>
        {(found) => found.length > 0 && (
          <section class='card flush' aria-label={bring.before}>
            <ul class='list'>{found.toReversed().map((one) => <Row key={one.id} one={one} />)}</ul>
          </section>
        )}
      </Loaded>
    </Page>
  )
}

function Form () {
  const { bring } = texts.value
  const files = useRef<HTMLInputElement>(null)
  const kind = useRef<HTMLSelectElement>(null)
  const send = useAction(async () => {
    const form = new FormData()
    form.append('kind', kind.current!.value)
    for (const file of files.current!.files!) form.append('file', file)
    const { data: { id } } = await api.post<Import>('/imports', form)
    go(`/imports/${id}`)
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send.run()
      }}
    >
      <Field label={bring.files} hint={bring.filesHint} error={send.errorAt('file')}>
        <FileField input={files} accept='.zip,.json,.yml,.yaml,.md,.csv,.html' />
      </Field>
      <Field label={bring.from} hint={bring.fromHint} error={send.errorAt('kind')}>
        <select ref={kind}>
          <option value='auto'>{bring.auto}</option>
          {Object.entries(KIND_NAMES).map(([kind, name]) => <option key={kind} value={kind}>{name}</option>)}
        </select>
      </Field>
      {send.error && send.error.details.length === 0 && <p class='error' role='alert'>{sentenceOf(send.error)}</p>}
      <div class='actions'>
        <Button kind='main' type='submit' icon={Upload} busy={send.isBusy}>{bring.send}</Button>
      </div>
    </form>
  )
}

/** The products by their names, which are the same in all languages. */
export const KIND_NAMES: Record<ImportKind, string> = {
  openai: 'OpenAI Assistants',
  dify: 'Dify',
  captain: 'Chatwoot Captain',
  flowise: 'Flowise',
  typebot: 'Typebot',
  articles: 'Zendesk, Intercom',
  chatbase: 'Chatbase',
  mkdocs: 'MkDocs',
  confluence: 'Confluence',
  helpscout: 'Help Scout',
  notion: 'Notion'
}

const TONES = { read: 'accent', planned: 'plain', applied: 'good', failed: 'bad' } as const

/** The state of an import, in a word. */
export function StateBadge ({ state }: { state: ImportState }) {
  return <Badge tone={TONES[state]}>{texts.value.bring.states[state]}</Badge>
}

function Row ({ one: { id, files, kind, state, created_at: created } }: { one: ImportSummary }) {
  const { bring } = texts.value
  return (
    <li>
      <a class='item' href={linkTo(`/imports/${id}`)}>
        <span class='grow'>
          <strong class='cut'>{files.join(', ')}</strong>
          <span class='quiet facts'>
            {kind && <span>{KIND_NAMES[kind]}</span>}
            <span>{fill(bring.uploaded, { when: shownAgo(created) })}</span>
          </span>
        </span>
        <StateBadge state={state} />
      </a>
    </li>
  )
}
