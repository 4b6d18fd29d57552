#compdef libriscribe2

_libriscribe2() {
  eval $(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _LIBRISCRIBE2_COMPLETE=complete_zsh libriscribe2)
}

if [[ ${funcstack[1]} == _libriscribe2 ]]; then
  _libriscribe2 "$@"
else
  compdef _libriscribe2 libriscribe2
fi
