/** Shell scripts are bundled as text. */
declare module '*.sh' {
  const text: string;
  export default text;
}
