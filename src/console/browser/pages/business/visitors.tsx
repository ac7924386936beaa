import { useState } from 'preact/hooks'
import { Download } from 'lucide-preact'
import type { Visitor } from '../../../../../schema/conversations.ts'
import { addressOf, api } from '../../api.ts'
import { useListing } from '../../listing.ts'
import { visitorCalled } from '../../people.ts'
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

/** Exports the data stored about a visitor as a file, or erases it. */
export function Visitors ({ onErased }: { onErased: () => Promise<void> }) {
  const { business } = texts.value
  const [id, setId] = useState('')
  return (
    <Card title={business.visitors}>
      <p class='quiet'>{business.visitorsText}</p>
      {(may('REPLY_CONVERSATION') || may('VIEW_ANALYTICS')) && <All onErased={onErased} />}
      {/* Visitors known only by an id, as in the business's own system, are not looked for first. */}
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
              {list.items.map((one) => (
                <li key={one.id} class='entry'>
                  <div class='grow'>
                    <strong dir='auto'>{calledOf(one) ?? business.unnamed}</strong>
                    <p class='quiet cut' dir='auto'>{[one.email, shownAgo(one.last_seen_at)].filter(Boolean).join(' · ')}</p>
                  </div>
                  <Rights
                    id={one.id} name={calledOf(one) ?? business.thisVisitor} onErased={async () => {
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

/** Who it is whose data it is about: an address tells more of that than a town. */
export const calledOf = (visitor: Pick<Visitor, 'name' | 'email' | 'place'>): string | undefined =>
  visitor.name ?? visitor.email ?? visitorCalled(visitor)

/** What a visitor may request: all data stored about them, and its erasure. */
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
