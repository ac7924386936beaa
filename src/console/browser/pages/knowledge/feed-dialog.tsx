import { useState } from 'preact/hooks'
import { FEED_KINDS, feedKind, type FeedField, type FeedKind } from '../../../../../schema/feed-kinds.ts'
import type { Feed } from '../../../../../schema/feeds.ts'
import { api } from '../../api.ts'
import { shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog, Dialog } from '../../ui/dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, Switch } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

const KINDS = Object.keys(FEED_KINDS) as FeedKind[]
const OFTEN = ['15m', '1h', '6h', '1d', '7d', '30d']

/** Creates or edits a feed; its form depends on its kind. */
export function FeedDialog ({ route, feed, onClose, onSaved }: {
  route: string, feed: Feed | undefined, onClose: () => void, onSaved: () => Promise<void>
}) {
  const { feeds } = texts.value
  const [kind, setKind] = useState<FeedKind>(feed?.kind ?? 'sitemap')
  const [name, setName] = useState(feed?.name ?? '')
  const [every, setEvery] = useState(feed?.every ?? '6h')
  const [secret, setSecret] = useState('')
  const [config, setConfig] = useState<Record<string, string>>(feed?.config ?? {})
  const { fields, secret: wanted } = feedKind(kind)
  const save = useAction(async () => {
    const told = toldOf(fields, config, feed !== undefined)
    const given = { name, every, ...(secret && wanted && { secret }), config: told }
    if (feed) await api.patch(`${route}/${feed.id}`, given)
    else await api.post(route, { ...given, kind })
    onClose()
    await onSaved()
  })
  return (
    <FormDialog title={feed?.name ?? feeds.add} action={save} onClose={onClose}>
      <Field label={feeds.name} error={save.errorAt('name')}>
        <input required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      {!feed && (
        <Field label={feeds.kind} hint={feeds.kindHints[kind]}>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as FeedKind)}>
            {KINDS.map((one) => <option key={one} value={one}>{feeds.kinds[one]}</option>)}
          </select>
        </Field>
      )}
      {fields.map((field) => (
        <Told
          key={field.name}
          field={field}
          value={config[field.name] ?? ''}
          error={save.errorAt(`config.${field.name}`)}
          onChange={(value) => setConfig({ ...config, [field.name]: value })}
        />
      ))}
      {wanted && (
        <SecretField isKept={feed?.has_secret ?? false} error={save.errorAt('secret')} value={secret} onChange={setSecret} />
      )}
      <Field label={feeds.every} hint={feeds.everyHint} error={save.errorAt('every')}>
        <select value={every} onChange={(event) => setEvery(event.currentTarget.value)}>
          {[...new Set([...OFTEN, every])].map((one) => (
            <option key={one} value={one}>{shownEvery(one)}</option>
          ))}
        </select>
      </Field>
    </FormDialog>
  )
}

/** The request body of a form; emptied fields are removed from a feed that `isThere`. */
function toldOf (
  fields: readonly FeedField[], typed: Record<string, string>, isThere: boolean
): Record<string, string | null> {
  const all = fields.map(({ name }): [string, string | null] => [name, typed[name]?.trim() || null])
  return Object.fromEntries(all.filter(([, value]) => isThere || value !== null))
}

function SecretField ({ isKept, error, value, onChange }: {
  isKept: boolean, error: string | undefined, value: string, onChange: (value: string) => void
}) {
  const { feeds } = texts.value
  return (
    <Field label={feeds.secret} hint={isKept ? feeds.secretKept : feeds.secretHint} error={error}>
      <input
        type='password'
        autocomplete='off'
        maxLength={4000}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}

/** One setting of a kind of feed. */
function Told ({ field: { name, isRequired, maxLength, example, choices }, value, error, onChange }: {
  field: FeedField, value: string, error: string | undefined, onChange: (value: string) => void
}) {
  const { feeds } = texts.value
  return (
    <Field
      label={feeds.fields[name as keyof typeof feeds.fields]}
      hint={isRequired ? undefined : feeds.optional}
      error={error}
    >
      {choices
        ? (
          <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
            <option value=''>–</option>
            {choices.map((one) => <option key={one} value={one}>{one.toUpperCase()}</option>)}
          </select>
          )
        : (
          <input
            autocomplete='off'
            required={isRequired}
            maxLength={maxLength}
            placeholder={example}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          )}
    </Field>
  )
}

/** `6h` in the reader's language. */
function shownEvery (every: string): string {
  const unit = { m: 'minute', h: 'hour', d: 'day' }[every.slice(-1)]!
  return shownNumber(Number.parseInt(every), { style: 'unit', unit, unitDisplay: 'long' })
}

/** Removes a feed, and asks what to do with its sources. */
export function RemoveFeed ({ route, feed, onClose, onRemoved }: {
  route: string, feed: Feed, onClose: () => void, onRemoved: () => Promise<void>
}) {
  const { feeds, business, ui } = texts.value
  const [takesAll, setTakesAll] = useState(false)
  const remove = useAction(async () => {
    await api.delete(`${route}/${feed.id}${takesAll ? '?sources=remove' : ''}`)
    onClose()
    await onRemoved()
  })
  return (
    <Dialog title={business.removeTitle.replace('{name}', feed.name)} onClose={onClose}>
      <p>{feeds.removeText}</p>
      <Switch label={feeds.removeSources} checked={takesAll} onChange={setTakesAll} />
      {remove.error && <Failure error={remove.error} />}
      <footer class='actions'>
        <Button onClick={onClose}>{ui.cancel}</Button>
        <Button kind='bad' busy={remove.isBusy} onClick={() => { remove.run() }}>{business.remove}</Button>
      </footer>
    </Dialog>
  )
}
