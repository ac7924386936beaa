import { useState } from 'preact/hooks'
import { Plus, Trash2 } from 'lucide-preact'
import type { WidgetKey } from '../../../../../schema/widget.ts'
import { api } from '../../api.ts'
import type { PageProps } from '../page.ts'
import { useResource } from '../../resource.ts'
import { may } from '../../session.ts'
import { fill, labelled, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Loaded, sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { IdentitySecrets } from './identity-secrets.tsx'
import { AgentPage } from '../agent/frame.tsx'

/** Puts an agent on sites: its widget keys, the line to paste, and its own page. */
export default function Site ({ params: { id = '' } }: PageProps) {
  return <AgentPage id={id}>{({ name }) => <Keys id={id} name={name} />}</AgentPage>
}

function Keys ({ id, name }: { id: string, name: string }) {
  const { site } = texts.value
  const keys = useResource<WidgetKey[]>(`/agents/${id}/widget_keys`)
  const mayManage = may('MANAGE_AGENTS') || may('MANAGE_AGENT_SETTINGS')
  const add = useAction(async () => {
    await api.post(`/agents/${id}/widget_keys`, { name })
    await keys.reload()
  })
  const button = (label: string, kind: 'main' | 'plain') =>
    mayManage && <Button kind={kind} icon={Plus} busy={add.isBusy} onClick={() => { add.run() }}>{label}</Button>
  return (
    <Loaded from={keys} lines={6}>
      {(found) => (
        <>
          <p class='quiet'>{site.keysText}</p>
          {found.length === 0 && <Empty title={site.noKeys} text={site.noKeysText}>{button(site.add, 'main')}</Empty>}
          {found.map((key) => (
            <Key key={key.id} agent={id} widgetKey={key} mayManage={mayManage} reload={keys.reload} />
          ))}
          {add.error && <p class='error' role='alert'>{sentenceOf(add.error)}</p>}
          {found.length > 0 && <div>{button(site.another, 'plain')}</div>}
          <p class='hint'>{fill(site.policy, { origin: location.origin })}</p>
        </>
      )}
    </Loaded>
  )
}

function Key ({
  agent, widgetKey: { id, name, origins, identity_secrets: secrets }, mayManage, reload
}: {
  agent: string, widgetKey: WidgetKey, mayManage: boolean, reload: () => Promise<void>
}) {
  const { site } = texts.value
  const tag = `<script async src="${location.origin}/widget.js" data-agent="${id}"></script>`
  const page = `${location.origin}/chat/${id}`
  const remove = useAction(async () => {
    if (!(await confirm({ title: fill(site.deleteTitle, { name }), text: site.deleteText, verb: site.deleteVerb }))) {
      return
    }
    await api.delete(`/agents/${agent}/widget_keys/${id}`)
    await reload()
  })
  return (
    <Card
      title={name}
      actions={
        mayManage && (
          <Button
            kind='quiet' icon={Trash2} busy={remove.isBusy} onClick={() => { remove.run() }}
            aria-label={labelled(site.delete, name)}
          >
            {site.delete}
          </Button>
        )
      }
    >
      {remove.error && <p class='error' role='alert'>{sentenceOf(remove.error)}</p>}
      <Origins at={`/agents/${agent}/widget_keys/${id}`} origins={origins} mayManage={mayManage} reload={reload} />
      <div class='field'>
        <span>{site.tag}</span>
        <pre tabIndex={0}>{tag}</pre>
        <div><CopyButton text={tag} label={site.copyTag} /></div>
      </div>
      <div class='field'>
        <span>{site.page}</span>
        <a href={page} target='_blank' rel='noopener noreferrer' class='long'>{page}</a>
        <div><CopyButton text={page} label={site.copyPage} /></div>
      </div>
      {mayManage && (
        <IdentitySecrets at={`/agents/${agent}/widget_keys/${id}/identity_secrets`} secrets={secrets} reload={reload} />
      )}
    </Card>
  )
}

/** The sites a key may be used on, one per line. */
function Origins ({
  at, origins, mayManage, reload
}: {
  at: string, origins: string[], mayManage: boolean, reload: () => Promise<void>
}) {
  const { site, ui } = texts.value
  const saved = origins.join('\n')
  const [typed, setTyped] = useState(saved)
  const save = useAction(async () => {
    const named = typed
      .split('\n')
      .map(originOf)
      .filter((line) => line !== '')
    const { data } = await api.patch<WidgetKey>(at, { origins: [...new Set(named)] })
    setTyped(data.origins.join('\n'))
    await reload()
    toast(ui.saved)
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.run()
      }}
    >
      {origins.length === 0 && <p class='notice'>{site.noOrigins}</p>}
      <Field
        label={site.origins}
        hint={site.originsHint}
        error={save.error && sentenceOf(save.error)}
      >
        <textarea
          class='low'
          rows={2}
          spellcheck={false}
          readOnly={!mayManage}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </Field>
      {typed !== saved && <div><Button kind='main' type='submit' busy={save.isBusy}>{site.save}</Button></div>}
    </form>
  )
}

/** People often paste the address of a page, or only a host name: its origin is used. */
function originOf (line: string): string {
  const text = line.trim()
  const address = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)/.test(text) ? `https://${text}` : text
  return URL.canParse(address) && /^https?:/.test(address) ? new URL(address).origin : text
}
