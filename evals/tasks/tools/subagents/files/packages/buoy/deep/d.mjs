// TODO three
// TODO four
// TODO five
export const TODOS = 0
