// TODO one
// TODO two
export const c = 3
