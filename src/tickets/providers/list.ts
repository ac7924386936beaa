import type { ProviderDefinition } from './base/definition.ts'
import { freshdesk } from './freshdesk.ts'
import { github } from './github.ts'
import { hubspot } from './hubspot.ts'
import { jira } from './jira.ts'
import { linear } from './linear.ts'
import { webhook } from './webhook.ts'
import { zendesk } from './zendesk.ts'

/** The systems that tickets can be opened in, in the order in which people are offered them. */
export const PROVIDERS: ProviderDefinition[] = [webhook, zendesk, freshdesk, jira, github, linear, hubspot]
