{{ range . }}{{ .Name }},{{ .LicenseName }}
{{ end }}
