import { useState } from 'preact/hooks'
import type { LanguageModel, ModelTrial } from '../../../../../schema/models.ts'
import { api } from '../../api.ts'
import type { Resource } from '../../resource.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'

/** Which models answer, including the server's, what they cost, and a button to try them. */
export function LanguageModels ({ list }: { list: Resource<LanguageModel[]> }) {
  const { models } = texts.value
  return (
    <Card title={models.title}>
      <p class='quiet'>{models.text}</p>
      <Loaded from={list}>
        {(all) => all.length === 0
          ? <p class='notice'>{models.none}</p>
          : (
            <ul class='list'>
              {all.map((one) => <Line key={`${one.is_own} ${one.name} ${one.models.join()}`} of={one} />)}
            </ul>
            )}
      </Loaded>
    </Card>
  )
}

function Line ({ of: model }: { of: LanguageModel }) {
  const { models: names, name, provider, is_own: isOwn, is_usable: isUsable, price, used } = model
  const { business, models } = texts.value
  const [typed, setTyped] = useState(used[0] ?? names.find((one) => !one.includes('*')) ?? '')
  const trial = useAction(async () => {
    setTried((await api.post<ModelTrial>('/language_models/test', { model: typed.trim() })).data)
  })
  const [tried, setTried] = useState<ModelTrial>()
  const title = names.join(', ')
  return (
    <li class='entry'>
      <div class='grow stack tight'>
        <div class='row'>
          <strong class='code'>{title}</strong>
          <Badge tone={isUsable ? 'plain' : 'bad'}>{isOwn ? name : models.server}</Badge>
        </div>
        <p class='quiet'>
          {business.kinds[provider]} · {priceOf(price)}
          {used.length > 0 && ` · ${fill(models.used, { models: used.join(', ') })}`}
          {!isUsable && ` · ${models.premium}`}
        </p>
        {trial.error && <Failure error={trial.error} />}
        {tried && <Tried {...tried} />}
      </div>
      <form
        class='row nowrap'
        onSubmit={(event) => {
          event.preventDefault()
          trial.run()
        }}
      >
        {names.some((one) => one.includes('*')) && (
          <input
            class='model-name'
            aria-label={fill(models.which, { models: title })}
            placeholder={models.whichHint}
            required
            maxLength={128}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Button type='submit' busy={trial.isBusy} aria-label={fill(models.testOf, { models: title })}>{models.test}</Button>
      </form>
    </li>
  )
}

/** A model's answer, or why there was none. */
function Tried (tried: ModelTrial) {
  const { answers, message, model, text, first_ms: first, input_tokens: read, output_tokens: written, cost } = tried
  const { models } = texts.value
  if (!answers) {
    return (
      <p class='error' role='status'>{models.silent} <span class='quiet' lang='en'>{message}</span></p>
    )
  }
  const seconds = shownNumber((first ?? 0) / 1000, { style: 'unit', unit: 'second', maximumFractionDigits: 1 })
  const took = fill(models.took, { model, seconds, tokens: shownNumber(read + written) })
  return (
    <p role='status'>
      <q dir='auto'>{text}</q><br />
      <span class='quiet'>
        {took}{' '}
        {cost === null
          ? models.noPrice
          : fill(models.cost, { cost: shownNumber(cost, { maximumSignificantDigits: 3 }) })}
      </span>
    </p>
  )
}

function priceOf (price: LanguageModel['price']): string {
  const { models } = texts.value
  return price
    ? fill(models.price, { input: shownNumber(price.input), output: shownNumber(price.output) })
    : models.noPrice
}
