import { useState } from 'preact/hooks'
import { Download } from 'lucide-preact'
import type { Visitor } from '../../../../../schema/conversations.ts'
import { addressOf, api } from '../../api.ts'
import { useListing } from '../../listing.ts'
import { may } from '../../session.ts'
import { fill, shownAgo, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { More } from '../../ui/more.tsx'
import { Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

/** What is kept of a visitor, as a file; and its end. */
export function Visitors ({ onErased }: { onErased: () => Promise<void> }) {
  const { business } = texts.value
  const [id, setId] = useState('')
  return (
    <Card title={business.visitors}>
      <p class='quiet'>{business.visitorsText}</p>
      {(may('REPLY_CONVERSATION') || may('VIEW_ANALYTICS')) && <All onErased={onErased} />}
      {/* Who is known by the id alone, as to a system of one's own, is not what one looks for first. */}
      <details>
        <summary>{business.byId}</summary>
        <Field label={business.visitorId} hint={business.visitorIdHint}>
          <input value={id} maxLength={32} onInput={(event) => setId(event.currentTarget.value.trim())} />
        </Field>
        {/^vis_[\w-]{22}$/.test(id) && <Rights id={id} name={business.thisVisitor} onErased={onErased} />}
      </details>
    </Card>
  )
}

function All ({ onErased }: { onErased: () => Promise<void> }) {
  const { business, ui } = texts.value
  const list = useListing<Visitor>('/visitors')
  return (
    <>
      <Loaded from={list.first}>
        {() => list.items.length === 0
          ? <p class='quiet'>{ui.none}</p>
          : (
            <ul class='list'>
              {list.items.map(({ id, name, email, last_seen_at: seen }) => (
                <li key={id} class='entry'>
                  <div class='grow'>
                    <strong dir='auto'>{name ?? email ?? business.unnamed}</strong>
                    <p class='quiet cut' dir='auto'>{[email, shownAgo(seen)].filter(Boolean).join(' · ')}</p>
                  </div>
                  <Rights
                    id={id} name={name ?? email ?? business.thisVisitor} onErased={async () => {
                      await Promise.all([list.reload(), onErased()])
                    }}
                  />
                </li>
              ))}
            </ul>
            )}
      </Loaded>
      <More more={list.more} />
    </>
  )
}

/** What a visitor may ask for: all that is kept of them, and its end. */
export function Rights ({ id, name, onErased }: { id: string, name: string, onErased: () => Promise<void> }) {
  const { business } = texts.value
  const erase = useAction(async () => {
    if (
      !(await confirm({ title: fill(business.eraseTitle, { name }), text: business.eraseText, verb: business.erase }))
    ) { return }
    await api.delete(`/visitors/${id}`)
    toast(business.erased)
    await onErased()
  })
  return (
    <div class='actions'>
      <a
        class='button'
        href={addressOf(`/visitors/${id}/export`)}
        download={`${id}.json`}
        aria-label={fill(business.exportOf, { name })}
      >
        <Download size={16} aria-hidden='true' />
        {business.export}
      </a>
      <Button busy={erase.isBusy} onClick={() => { erase.run() }} aria-label={fill(business.eraseOf, { name })}>
        {business.erase}
      </Button>
      {erase.error && <Failure error={erase.error} />}
    </div>
  )
}
