import type { BusinessStore } from '../business/index.ts'
import type { UnaskedFeatures } from '../follow-ups/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Exporter } from '../personal-data/contract.ts'
import { exportedSatisfaction } from './exported.ts'
import { mailSatisfaction } from './mailing.ts'
import type { Linked, SatisfactionStore } from './store.ts'
import { sqliteSatisfactionStore } from './store.sqlite.ts'

/** How satisfied visitors were. */
export interface Satisfactions {
  /** `linked`: what a link in a mail leads to. */
  store: SatisfactionStore & { linked (id: string): Promise<Linked | undefined> }
  exported: Exporter
}

/** Opens it: visitors are asked, by mail too where that is set up, from now on. */
export function openSatisfaction (
  kernel: Kernel, features: UnaskedFeatures & { business: Pick<BusinessStore, 'of'> }
): Satisfactions {
  const store = sqliteSatisfactionStore({
    ...kernel,
    * asks (owner) {
      return (yield * features.business.of(owner)).asks_satisfaction
    }
  })
  mailSatisfaction({ ...kernel, ...features, askedOf: store.askedOf })
  return { store, exported: exportedSatisfaction(store) }
}
