import { useState } from 'preact/hooks'
import draft from 'schema:models#ModelProviderDraft'
import type { LanguageModel, ModelProvider, ProviderKind } from '../../../../../schema/models.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { useResource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { LanguageModels } from './language-models.tsx'
import { useRemoval } from './removal.ts'

const KINDS = schemaAt(draft, 'provider').enum as ProviderKind[]

/** Language model providers that the account configures itself. */
export function ModelProviders () {
  const { business } = texts.value
  const list = useResource<ModelProvider[]>('/model_providers')
  const models = useResource<LanguageModel[]>('/language_models')
  const reload = async () => { await Promise.all([list.reload(), models.reload()]) }
  const remove = useRemoval('/model_providers', business.removeModelText, reload)
  return (
    <>
      <LanguageModels list={models} />
      <Card title={business.models}>
        <p class='quiet'>{business.modelsText}</p>
        {remove.error && <Failure error={remove.error} />}
        <Loaded from={list}>
          {(all) => (
            <ul class='list'>
              {all.map((one) => (
                <li key={one.id} class='entry'>
                  <div class='grow'>
                    <strong dir='auto'>{one.name}</strong>
                    <p class='quiet'>
                      {business.kinds[one.provider]} · {one.url}
                      {one.key_hint && ` · …${one.key_hint}`}
                    </p>
                    <p class='quiet code'>{one.models.join(', ')}</p>
                  </div>
                  <Button
                    busy={remove.isBusy}
                    onClick={() => { remove.run(one) }}
                    aria-label={fill(business.removeOf, { name: one.name })}
                  >
                    {business.remove}
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      <NewProvider onAdded={() => { reload() }} />
    </>
  )
}

const NOTHING = { name: '', provider: KINDS[0]!, url: '', key: '', models: '' }

function NewProvider ({ onAdded }: { onAdded: () => void }) {
  const { business } = texts.value
  const [form, setForm] = useState(NOTHING)
  const add = useAction(async () => {
    const { name, provider, url, key, models } = form
    const names = models.split(/[\s,]+/).filter(Boolean)
    await api.post('/model_providers', { name, provider, models: names, ...(url && { url }), ...(key && { key }) })
    setForm(NOTHING)
    onAdded()
  })
  const bind = (name: 'name' | 'url' | 'key' | 'models') => ({
    value: form[name],
    onInput: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) => setForm({ ...form, [name]: value })
  })
  const isOwnUrl = form.provider === 'openai-compatible'
  return (
    <Card title={business.addModel}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          add.run()
        }}
      >
        <Field label={business.provider}>
          <select
            value={form.provider}
            onChange={(event) => setForm({ ...form, provider: event.currentTarget.value as ProviderKind })}
          >
            {KINDS.map((kind) => <option key={kind} value={kind}>{business.kinds[kind]}</option>)}
          </select>
        </Field>
        <Field label={business.name} error={add.errorAt('name')}>
          <input required maxLength={schemaAt(draft, 'name').maxLength} {...bind('name')} />
        </Field>
        {isOwnUrl && (
          <Field label={business.url} error={add.errorAt('url')}>
            <input inputMode='url' required placeholder='https://models.example.com/v1' {...bind('url')} />
          </Field>
        )}
        <Field label={business.key} hint={business.keyHint} error={add.errorAt('key')}>
          <input type='password' autocomplete='off' required={!isOwnUrl} {...bind('key')} />
        </Field>
        <Field label={business.modelNames} hint={business.modelNamesHint} error={add.errorAt('models')}>
          <input required placeholder='gpt-*' {...bind('models')} />
        </Field>
        {add.error && add.error.details.length === 0 && <Failure error={add.error} />}
        <div class='actions'><Button kind='main' type='submit' busy={add.isBusy}>{business.addModel}</Button></div>
      </form>
    </Card>
  )
}
