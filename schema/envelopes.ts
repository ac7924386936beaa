import { Type, type TSchema } from '@sinclair/typebox'

/** The envelope of every successful answer. */
export const success = <T extends TSchema>(data: T, options: { title?: string, description?: string } = {}) =>
  Type.Object(
    {
      status: Type.Literal('success'),
      message: Type.String(),
      data
    },
    options
  )

/** What a deletion answers. */
export const Deleted = success(Type.Object({ id: Type.Integer() }), { title: 'Deleted', description: 'It is gone' })

/** What a deletion answers where ids are texts. */
export const DeletedName = success(Type.Object({ id: Type.String() }), {
  title: 'DeletedName', description: 'It is gone'
})

/** Which part of a list an answer holds. */
export const Pagination = Type.Object({
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer(),
  pages: Type.Integer()
}, { title: 'Pagination' })

/** The query of a list that can be asked for in pages. */
export const Paging = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Page, from 1' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Items a page' }))
}

/** The answer to a request that is shaped wrong: every violated field at once, at most 20. */
export const ValidationError = Type.Object(
  {
    error: Type.Object({
      code: Type.Literal('VALIDATION_ERROR'),
      message: Type.String(),
      details: Type.Array(
        Type.Object({
          field: Type.String(),
          message: Type.String(),
          code: Type.Optional(
            Type.String({
              description:
                'Why what the field names cannot be used. With the header `Agenthall-Details: rules` also which rule it breaks (`required`, `too_long`, `wrong_form` …)'
            })
          ),
          limit: Type.Optional(Type.Integer({ description: 'What the rule allows, where it is a number; with that header' })),
          example: Type.Optional(Type.String({ description: 'What has the expected form; with that header' }))
        })
      )
    })
  },
  {
    title: 'ValidationError',
    examples: [
      {
        error: {
          code: 'VALIDATION_ERROR',
          message: 'Invalid parameters: see details for each field.',
          details: [{ field: 'systemPrompt', message: 'systemPrompt is required.' }]
        }
      }
    ]
  }
)

/** Every other way the service says no. */
export const ErrorAnswer = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    status: Type.Integer(),
    fields: Type.Object({}, { additionalProperties: true })
  })
}, {
  title: 'Error',
  examples: [{
    error: { code: 'authentication_required', message: 'Authentication failed.', status: 401, fields: {} }
  }]
})
