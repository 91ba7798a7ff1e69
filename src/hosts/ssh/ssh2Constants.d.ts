/** ssh2 does not export what it can negotiate; these lists depend on the crypto library it runs on (Electron's has less). */
declare module 'ssh2/lib/protocol/constants.js' {
  const constants: Readonly<
    Record<
      | 'DEFAULT_KEX'
      | 'SUPPORTED_KEX'
      | 'DEFAULT_SERVER_HOST_KEY'
      | 'SUPPORTED_SERVER_HOST_KEY'
      | 'DEFAULT_CIPHER'
      | 'SUPPORTED_CIPHER'
      | 'DEFAULT_MAC'
      | 'SUPPORTED_MAC',
      readonly string[]
    >
  >;
  export default constants;
}
