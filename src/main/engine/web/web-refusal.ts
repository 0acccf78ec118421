/** Why a URL is not fetched, in words for the model. */
export class WebRefusal extends Error {
  override readonly name = 'WebRefusal'
}
