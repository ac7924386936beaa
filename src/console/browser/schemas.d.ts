/** A schema as plain JSON, inlined when the console is built: see scripts/build/web.ts. */
declare module 'schema:*' {
  const schema: {
    title?: string
    description?: string
    properties: Record<string, import('./forms.ts').FieldSchema>
    required?: string[]
  }
  export default schema
}
declare module 'src:tickets/providers/schemas#PROVIDER_FORMS' {
  const forms: Array<import('../../../schema/tickets.ts').ProviderForm>
  export default forms
}
